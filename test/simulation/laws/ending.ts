import type { LawIn } from './law.ts';

/** When everything has healed, good work is done, once, and what it wanted sent was received, once. */
export const everythingEnds: LawIn = ({ facts, services, gateway }, accuse) => ({
  ended() {
    for (const work of facts.works.values()) {
      if (!services.some(({ scope }) => scope === work.scope)) continue;
      const isOver = work.outcome !== undefined || work.unrecordedBy.size > 0;
      if (work.nature === 'good' && !isOver) {
        accuse('L6', `${work.rowKey} could have been done and is ${work.row?.status ?? 'not claimed'}`);
      }
      if (work.nature !== 'good' && work.outcome !== undefined)
        accuse('L3', `${work.rowKey} cannot have been done`);
      for (const key of work.followUps) {
        if (!facts.followUpsAccepted.has(key)) accuse('L13', `a follow-up of ${work.rowKey} was never sent`);
      }
    }
    const charged = [...gateway.charges.values()];
    if (new Set(charged).size !== charged.length) accuse('L10', 'some work was charged twice');
  },
});
