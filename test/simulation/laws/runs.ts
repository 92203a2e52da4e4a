import { isNamed } from '../../../lib/errors.ts';
import type { Run } from '../facts.ts';
import { shortRetentionSeconds } from '../world/service.ts';
import type { World } from '../world/world.ts';
import type { Accuse, LawIn } from './law.ts';

/** L1, L4, L7, L8, L9 and L11 at the moment user code starts: under a claim that is its own and counts. */
export const runsStartUnderTheirClaim: LawIn = (world, accuse) => ({
  runStarted(run) {
    if (isForgotten(world, run)) accuse('L11', 'a message runs again whose outcome is forgotten');
    if (isItsHandlersOwn(world, run)) return;
    if (run.claim !== undefined) underItsClaim(run, accuse);
    else if (world.plan.claim === 'first') accuse('L7', 'user code started without a claim');
    if (run.claim === undefined || world.plan.claim !== 'first') return;
    if (run.number !== run.work.row?.attempts) {
      accuse('L9', `attempt ${run.number} is recorded as attempt ${run.work.row?.attempts}`);
    }
    if (run.work.failedRuns >= world.plan.maxAttempts) {
      accuse(
        'L9',
        `it runs again after ${run.work.failedRuns} failed runs of at most ${world.plan.maxAttempts}`,
      );
    }
    for (const other of run.work.runs) if (other !== run) notBeside(run, other, accuse);
  },
  effectAsked({ claim, process }) {
    // A process whose timers stood still with it learns late what its wall clock knows; its fence holds it.
    if (claim === undefined || world.plan.lease === 'deadline' || world.plan.freezeStopsTimers) return;
    const overSinceMillis = process.ambient.wallMillis() - claim.leaseEndsAt;
    const awakeMillis = world.agenda.nowMillis - process.thawedAtMillis;
    if (Math.min(overSinceMillis, awakeMillis) > noticedMillis)
      accuse('L2', 'an attempt goes on though its lease is over');
  },
});

/** A process that moves again hears of it within this time. */
const noticedMillis = 100;

/**
 * Not promised: for a process that stands still with a message in its hands for longer than rows are kept, and for
 * a message that a FIFO queue moved away: SQS forgets its age then.
 */
function isForgotten({ facts, agenda, plan }: World, { work, process, messageId }: Run): boolean {
  const givenSince = facts.givenSince.get(`${process.name} ${messageId}`) ?? 0;
  const originalOf = (id: string | undefined) => facts.letters.get(id ?? '')?.names.unkeyed;
  const isAgeLost = plan.fifo && facts.movedAway.has(originalOf(messageId) ?? '');
  if (isAgeLost || work.isWanted || agenda.nowMillis - givenSince > (shortRetentionSeconds - 60) * 1_000)
    return false;
  return work.pastOutcomes.some((outcome) => originalOf(outcome.messageId) === originalOf(messageId));
}

/**
 * A whole-event handler comes to its later records when it likes. What it begins though it was told to stop, or after
 * it stood still and nobody could tell it, is held by the fence alone.
 */
function isItsHandlersOwn({ plan, facts }: World, { process, messageId, toldToStop }: Run): boolean {
  if (plan.form !== 'whole event') return false;
  const givenSince = facts.givenSince.get(`${process.name} ${messageId}`) ?? 0;
  return toldToStop || process.thawedAtMillis > givenSince;
}

function underItsClaim({ work, claim }: Run, accuse: Accuse): void {
  const { row } = work;
  if (row === undefined || row.owner !== claim?.owner || row.fence !== claim.fence) {
    accuse('L1', `user code started under fence ${claim?.fence} and the row has fence ${row?.fence}`);
  } else if (row.status !== 'leased') accuse('L4', `user code started and the row is ${row.status}`);
}

/** Another run of the same work may still go on only where its lease is over by its own clock. */
function notBeside(run: Run, other: Run, accuse: Accuse): void {
  if (other.end !== 'running' || !other.process.isAlive || other.claim === undefined) return;
  if (other.claim.leaseEndsAt > other.process.ambient.wallMillis()) {
    accuse('L1', `${run.process.name} and ${other.process.name} run it at the same time`);
  }
}

/** L9: what counts as a failure of a message, however its attempts are counted in the row. */
export function isFailure({ end, error }: Run): boolean {
  if (end === 'crashed') return true;
  return end === 'threw' && !isNamed(error, 'RetryLaterError');
}
