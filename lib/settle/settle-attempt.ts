import type { Arrival } from '../arrive/message.ts';
import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { isNamed } from '../errors.ts';
import type { OpenAttempt } from '../handle/attempt.ts';
import { unknownValue } from '../handle/handled.ts';
import type { Invocation } from '../invocation.ts';
import type { Settlement } from '../store/port.ts';
import { outcomeAttributes } from '../store/settle.ts';
import { acknowledged, type Ending, returned } from './ending.ts';
import { failAttempt, giveBackBlameless } from './fail-attempt.ts';
import { outcomeOf } from './outcome.ts';
import { fencedOut, parkMessage } from './park-message.ts';
import { persist } from './persist.ts';
import { sendRecordedFollowUps } from './recorded-follow-ups.ts';
import { keepResult, notKept } from './result.ts';

/** Records what user code returned, together with what it collected, and sends what it wants sent. */
export async function settleAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  attempt: OpenAttempt,
  value: unknown,
): Promise<Ending> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const writes = attempt.transaction.freeze();
  const followUps = attempt.followUps.freeze();
  const settlement: Settlement = {
    status: 'completed',
    result: value === unknownValue ? notKept('the handler answered for the whole event') : keepResult(value),
    followUps,
    settledAt: nowMillis,
    expiresAt: expiryOf(arrival, invocation, nowMillis),
  };
  invocation.tell('settling', arrival, { attempt: claim.row.attempts, fence: claim.fence });
  const landing = await persist(invocation, (limit) => store.settle(claim, settlement, writes, limit));
  switch (landing.status) {
    case 'landed':
      return completed(arrival, invocation, claim, settlement);
    case 'refused':
      return fencedOut(arrival, invocation, claim);
    case 'impossible':
      return parkMessage(arrival, invocation, claim, 'transaction-impossible', landing.cause);
    case 'rejected': {
      const judgement = attempt.transaction.judge(landing.failures);
      return judgement.status === 'rejected'
        ? rejectOutOfOrder(arrival, invocation, claim, judgement.reason)
        : failAttempt(arrival, invocation, claim, judgement.error);
    }
    case 'unavailable':
      return writes.length + followUps.length > 0
        ? uncommitted(arrival, invocation, claim, landing.error)
        : unrecorded(arrival, invocation, claim, landing.error, settlement);
    default:
      return landing satisfies never;
  }
}

async function completed(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  settlement: Settlement,
): Promise<Ending> {
  const attempt = { attempt: claim.row.attempts, fence: claim.fence };
  if (!(await sendRecordedFollowUps(arrival, invocation, claim, settlement.followUps ?? [], 0))) {
    return returned(invocation.backoffMillis(claim.row.attempts));
  }
  invocation.tell('completed', arrival, attempt);
  return acknowledged(outcomeOf({ ...claim.row, ...outcomeAttributes(settlement) }));
}

/** An event that came too late is a no-op that is remembered: nothing applied, never tried again. */
async function rejectOutOfOrder(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: string,
): Promise<Ending> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const settlement = {
    status: 'rejected',
    reason,
    settledAt: nowMillis,
    expiresAt: expiryOf(arrival, invocation, nowMillis),
  } as const;
  const landing = await persist(invocation, (limit) => store.settle(claim, settlement, [], limit));
  if (landing.status === 'unavailable') return uncommitted(arrival, invocation, claim, landing.error);
  if (landing.status !== 'landed') return fencedOut(arrival, invocation, claim);
  invocation.tell('rejected', arrival, { reason, attempt: claim.row.attempts, fence: claim.fence });
  return acknowledged({ status: 'rejected', reason });
}

/** What was collected could not be committed: nothing happened, so the attempt failed. */
async function uncommitted(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  error: Error,
): Promise<Ending> {
  if (!isNamed(error, 'ConfigurationError')) return failAttempt(arrival, invocation, claim, error);
  invocation.doom(error);
  return giveBackBlameless(arrival, invocation, claim, error);
}

/**
 * User code succeeded, nothing is pending and the table cannot be told. Running it again would do the work
 * twice, so the message is acknowledged, the claim stays, and everybody hears of it.
 */
function unrecorded(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  error: Error,
  settlement: Settlement,
): Ending {
  invocation.tell('outcome-unrecorded', arrival, {
    attempt: claim.row.attempts,
    fence: claim.fence,
    error,
  });
  return acknowledged(outcomeOf({ ...claim.row, ...outcomeAttributes(settlement) }));
}
