import type { Arrival } from './arrive/message.ts';
import { unkeyedRowKey } from './arrive/row-key.ts';
import { type Claiming, claimArrival } from './claim/claim-arrival.ts';
import type { Verdict } from './claim/claim-message.ts';
import { endIsUnknown, type Purpose } from './claim/decide.ts';
import { KeyReusedError } from './errors.ts';
import type { Invocation } from './invocation.ts';
import { millisUntilFree } from './lease.ts';
import { answerDuplicate } from './settle/answer-duplicate.ts';
import { answerParked } from './settle/answer-parked.ts';
import { type Ending, returned } from './settle/ending.ts';
import { unstarted } from './settle/fail-attempt.ts';
import { heldMillis, isHeld } from './settle/hold.ts';
import { type ParkReason, parkMessage } from './settle/park-message.ts';
import { releaseClaim } from './settle/release-claim.ts';
import type { ClaimRow } from './words.ts';

/** Asks for a message's claim, and says so. */
export function askForClaim(
  arrival: Arrival,
  invocation: Invocation,
  purpose: Purpose,
  maxAttempts: number | undefined,
): Promise<Claiming> {
  invocation.tell('claiming', arrival);
  return claimArrival(arrival, invocation, purpose, maxAttempts);
}

/** Answers a message that may not run. */
export async function answerVerdict(
  arrival: Arrival,
  invocation: Invocation,
  verdict: Exclude<Verdict, { status: 'claimed' }>,
): Promise<Ending> {
  switch (verdict.status) {
    case 'duplicate':
      return answerDuplicate(arrival, invocation, verdict.row);
    case 'parked':
      return answerParked(arrival, invocation, verdict.row);
    case 'in-flight':
      return inFlight(arrival, invocation, verdict.row.leaseEndsAt);
    case 'key-reused':
      return parkKeyReused(arrival, invocation);
    case 'beyond-retention':
      return parkUnrun(arrival, invocation, 'beyond-retention', undefined);
    case 'abandoned':
      return parkUnrun(arrival, invocation, 'abandoned', undefined, verdict.row);
    case 'exhausted':
      return exhausted(arrival, invocation, verdict.row);
    default:
      return verdict satisfies never;
  }
}

/** Not done, so never acknowledged; not failed, so never parked: back when the other attempt's lease is over. */
function inFlight(arrival: Arrival, invocation: Invocation, leaseEndsAt: number | undefined): Ending {
  invocation.tell('in-flight', arrival);
  const nowMillis = invocation.settings.store.ambient.wallMillis();
  return returned(leaseEndsAt === undefined ? heldMillis : millisUntilFree(leaseEndsAt, nowMillis));
}

/** No attempts are left, or a person let go of it: parked without running, or held where its group is. */
async function exhausted(arrival: Arrival, invocation: Invocation, row: ClaimRow): Promise<Ending> {
  // A row that was released for good says why; it may have been held or without a dead-letter queue for days.
  const left = row.status === 'leased' || endIsUnknown(row);
  const reason = ((left ? undefined : row.reason) as ParkReason | undefined) ?? 'attempts-exhausted';
  if (await isHeld(arrival, invocation, row.reason)) {
    invocation.tell('failed', arrival, { reason: `held: ${reason}` });
    return returned(heldMillis);
  }
  return parkUnrun(arrival, invocation, reason, left ? endUnknown : row.lastError, row);
}

/** What is told of an attempt that left without a word. */
const endUnknown = 'the end of the last attempt is unknown: its process crashed, was killed or timed out';

/**
 * Claims a message in order to park it: nothing runs and no attempt is counted.
 *
 * @param because the row whose attempts speak against running it. When they restarted before the claim was won
 * (another message of its key was parked, and with this one the work comes back), it may run after all.
 */
export async function parkUnrun(
  arrival: Arrival,
  invocation: Invocation,
  reason: ParkReason,
  error: unknown,
  because?: ClaimRow,
): Promise<Ending> {
  const { verdict } = await askForClaim(arrival, invocation, 'park', undefined);
  if (verdict.status !== 'claimed') return answerVerdict(arrival, invocation, verdict);
  const { claim } = verdict;
  if (because === undefined || claim.row.attempts >= because.attempts) {
    return parkMessage(arrival, invocation, claim, reason, error);
  }
  await releaseClaim(arrival, invocation, claim, { counts: true });
  return unstarted(arrival, invocation);
}

/** The key stands for another payload. This message is recorded under its own id; the first row is untouched. */
export async function parkKeyReused(arrival: Arrival, invocation: Invocation): Promise<Ending> {
  const error = new KeyReusedError('the key was used before with another payload', {
    scope: invocation.settings.scope,
  });
  invocation.tell('key-reused', arrival, { error });
  const unkeyed: Arrival = {
    ...arrival,
    rowKey: unkeyedRowKey(invocation.settings.scope, arrival.originalMessageId),
    key: undefined,
    fingerprint: undefined,
  };
  return parkUnrun(unkeyed, invocation, 'key-reused', error);
}
