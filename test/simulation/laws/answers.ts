import type { LawIn } from './law.ts';

/** More than the time for an answer and the longest pause between two tries to record an outcome. */
const givenUpMillis = 2_400;
/** Less than what is tried where no deadline is known. */
const patienceMillis = 55_000;

/** L2, L5 and L6: what a process told of a message is what it then does with it, and not sooner than it may. */
export const wordsAreKept: LawIn = ({ plan, facts, agenda }, accuse) => ({
  visibilityAsked(process, messageId, seconds) {
    const told = facts.told.get(`${process.name} ${messageId}`);
    if (!Number.isInteger(seconds) || seconds < 0)
      accuse('L5', `${messageId} is wanted back in ${seconds} s`);
    const names = facts.letters.get(messageId)?.names;
    // A handler that was left behind may tell of an earlier delivery of the same message.
    const runs = facts.works.get(names?.keyed ?? '')?.runs ?? [];
    if (runs.some((run) => run.process === process && run.leftBehind)) return;
    // One process may have two deliveries of it in hand, and which of them was told of nobody says.
    const inHand = facts.deadlines.get(`${process.name} ${messageId}`) ?? [];
    if (inHand.filter((endsAtMillis) => endsAtMillis > agenda.nowMillis).length > 1) return;
    if (told?.event.type === 'fenced-out') accuse('L2', `a fenced-out attempt moves ${messageId}`);
    if (told?.event.type !== 'in-flight' || plan.lease !== 'deadline') return;
    // Of the row as it was seen, which may have changed hands since.
    const leases = [names?.keyed, names?.unkeyed]
      .flatMap((rowKey) => facts.works.get(rowKey ?? '')?.claims ?? [])
      .map(({ leaseEndsAt }) => leaseEndsAt);
    const backAtMillis = process.ambient.wallMillis() + seconds * 1_000;
    if (!leases.some((leaseEndsAt) => backAtMillis >= leaseEndsAt)) {
      accuse('L5', `${messageId} is in flight and wanted back before its lease is over`);
    }
  },
  told(process, event, work) {
    if (work === undefined) return;
    const isRecorded = work.outcome !== undefined || work.pastOutcomes.length > 0;
    if (event.type === 'completed' && !isRecorded)
      accuse('L6', `it is told to be completed and its row is ${work.row?.status ?? 'absent'}`);
    if (event.type !== 'outcome-unrecorded') return;
    const about = `${process.name} ${event.messageId}`;
    const runs = work.runs.filter((candidate) => candidate.process === process);
    const run = runs.findLast(({ end }) => end === 'returned');
    if (run === undefined) accuse('L6', 'an outcome is given up that user code did not bring about');
    if (run?.collected) accuse('L6', 'an outcome with writes or follow-ups is given up');
    work.unrecordedBy.add(process.name);
    // One that was left behind settles when its invocation has no time left at all.
    if (runs.some(({ leftBehind }) => leftBehind)) return;
    // A process may have two deliveries of one message; which of them this is about nobody tells.
    const ahead = (facts.deadlines.get(about) ?? []).filter(
      (endsAtMillis) => endsAtMillis > agenda.nowMillis,
    );
    const settling = facts.told.get(about);
    const isEarly =
      plan.lease !== 'no deadline'
        ? ahead.length > 0 && Math.min(...ahead) - agenda.nowMillis > givenUpMillis
        : settling?.event.type === 'settling' && agenda.nowMillis - settling.atMillis < patienceMillis;
    if (isEarly) accuse('L4', 'an outcome is given up although there was time to try again');
  },
});
