import type { LawIn } from './law.ts';

/** When everything has healed, good work is done, once, and what it wanted sent was received, once. */
export const everythingEnds: LawIn = ({ facts, services }, accuse) => ({
  ended() {
    for (const work of facts.works.values()) {
      if (!services.some(({ scope }) => scope === work.scope)) continue;
      if (facts.isOpen(work)) {
        accuse('L6', `${work.rowKey} could have been done and is ${work.row?.status ?? 'not claimed'}`);
      }
      const isNoGood = ['poison', 'failing', 'killer'].includes(work.nature);
      if (isNoGood && work.outcome !== undefined) accuse('L3', `${work.rowKey} cannot have been done`);
    }
  },
});
