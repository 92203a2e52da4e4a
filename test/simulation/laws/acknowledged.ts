import type { LetterFacts, Work } from '../facts.ts';
import type { LawIn } from './law.ts';

/** L5 and L6: a message is let go of only when its work is recorded as done, or a dead-letter queue has it. */
export const nothingIsLost: LawIn = ({ facts, queues }, accuse) => {
  const isDone = (work: Work | undefined, letter: LetterFacts): boolean => {
    const outcomes = [work?.outcome, ...(work?.pastOutcomes ?? [])];
    const isItsOwn = outcomes.some((outcome) => {
      const first = facts.letters.get(outcome?.messageId ?? '');
      return outcome !== undefined && (first === undefined || first.payload === letter.payload);
    });
    return isItsOwn && work?.followUps.every((key) => facts.followUpsAccepted.has(key)) === true;
  };
  /**
   * Taken by a dead-letter queue; or another copy of the same first message is still around; or another message
   * of the same work is, and what this one was brought back for was tried.
   */
  const goesOnElsewhere = (letter: LetterFacts): boolean => {
    if (facts.isParkedAway(letter)) return true;
    const isKept = (id: string, queue: string): boolean => {
      const other = facts.letters.get(id);
      if (id === letter.id || other?.payload !== letter.payload) return false;
      if (facts.gone.has(id) && !queue.includes('-dlq')) return false;
      if (other?.names.unkeyed === letter.names.unkeyed) return true;
      const marks = facts.works.get(letter.names.keyed ?? '')?.marks;
      return other?.names.keyed === letter.names.keyed && marks?.includes(letter.mark ?? '') === true;
    };
    return queues.some(({ name, letters }) => letters.some(({ id }) => isKept(id, name)));
  };
  return {
    acknowledged(process, letter) {
      const work = facts.works.get(letter.names.keyed ?? '');
      if (isDone(work, letter) || work?.unrecordedBy.has(process.name) || goesOnElsewhere(letter)) return;
      accuse('L6', `${letter.id} is acknowledged and its row is ${work?.row?.status ?? 'absent'}`);
    },
    duplicateAnswered({ outcome, pastOutcomes }, answered) {
      if (answered.status !== 'completed') return;
      // Who looked before the row's time was up may answer after it.
      const results = [outcome, ...pastOutcomes].flatMap((known) => known?.result ?? []);
      if (results.length > 0 && !results.includes(JSON.stringify(answered.result)))
        accuse('L4', 'a duplicate got another result');
    },
  };
};
