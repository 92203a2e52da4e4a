import { isNamed } from '../../../lib/errors.ts';
import type { Run } from '../facts.ts';
import type { Accuse, LawIn } from './law.ts';

/** L1, L4, L7, L8, L9 and L11 at the moment user code starts: under a claim that is its own and counts. */
export const runsStartUnderTheirClaim: LawIn = ({ plan, facts }, accuse) => ({
  runStarted(run) {
    const original = (id: string | undefined) => facts.letters.get(id ?? '')?.names.unkeyed;
    const isOldNews = run.work.pastOutcomes.some(
      ({ messageId }) => original(messageId) === original(run.messageId),
    );
    if (isOldNews && !run.work.isWanted) accuse('L11', 'a message runs again whose outcome is forgotten');
    if (run.claim !== undefined) underItsClaim(run, accuse);
    else if (plan.claim === 'first') accuse('L7', 'user code started without a claim');
    if (run.claim === undefined || plan.claim !== 'first') return;
    if (run.number !== run.work.row?.attempts) {
      accuse('L9', `attempt ${run.number} is recorded as attempt ${run.work.row?.attempts}`);
    }
    if (run.work.failedRuns >= plan.maxAttempts) {
      accuse('L9', `it runs again after ${run.work.failedRuns} failed runs of at most ${plan.maxAttempts}`);
    }
    for (const other of run.work.runs) if (other !== run) notBeside(run, other, accuse);
  },
});

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
