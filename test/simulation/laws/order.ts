import type { Work } from '../facts.ts';
import type { Letter } from '../world/letter.ts';
import type { LawIn } from './law.ts';

/** L12: in a FIFO group nothing starts and nothing lands before all that was sent before it is settled. */
export const groupsKeepTheirOrder: LawIn = ({ plan, facts, queues }, accuse) => {
  if (!plan.fifo) return {};
  const isSettled = (id: string, beside: Work): boolean => {
    const letter = facts.letters.get(id);
    const work = facts.works.get(letter?.names.keyed ?? '');
    if (work === beside || work?.outcome !== undefined) return true;
    if (facts.gone.has(id) || facts.duplicates.has(id)) return true;
    return (work?.unrecordedBy.size ?? 0) > 0 || (letter !== undefined && facts.isParkedAway(letter));
  };
  const inOrder = (what: string, work: Work, messageId: string | undefined) => {
    const queue = queues.find(({ name }) => name === facts.letters.get(messageId ?? '')?.queue);
    const letter = queue?.letters.find(({ id }) => id === messageId);
    if (queue?.deadLetters === undefined || letter === undefined) return;
    const earlier = queue.letters.find((other) => isBefore(other, letter) && !isSettled(other.id, work));
    if (earlier !== undefined)
      accuse('L12', `${messageId} ${what}, and ${earlier.id}, sent before it, is not settled`);
  };
  return {
    runStarted(run) {
      // A handler that takes its event whole keeps the order in it by itself.
      if (plan.form === 'each message') inOrder('starts', run.work, run.messageId);
    },
    rowChanged({ work, before, after }) {
      if (after.status !== 'completed' && after.status !== 'rejected') return;
      // Of a whole event, work that is done stays done, where nothing it collected would land before its turn.
      const run = work.runs.findLast(({ claim }) => claim?.owner === after.owner);
      if (plan.form === 'whole event' && run?.collected === false) return;
      if (before?.status !== after.status) inOrder(`is ${after.status}`, work, after.messageId);
    },
  };
};

function isBefore(one: Letter, other: Letter): boolean {
  return one.groupId === other.groupId && one.place < other.place;
}
