import type { Arrival } from '../arrive/message.ts';
import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { isNamed, type RetryLaterError, toError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { skewMillis } from '../lease.ts';
import { isOwnSettle } from '../store/settle.ts';
import { answerDuplicate } from './answer-duplicate.ts';
import { type Ending, returned } from './ending.ts';
import { fencedOut, lastErrorOf, type ParkReason, parkMessage } from './park-message.ts';
import { persist } from './persist.ts';

/** What becomes of a message whose attempt failed: given back, or parked when there is no use in trying again. */
export async function failAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  thrown: unknown,
): Promise<Ending> {
  const later = isNamed(thrown, 'RetryLaterError') ? (thrown as RetryLaterError) : undefined;
  const reason = await parkReasonOf(arrival, invocation, claim, thrown);
  if (reason !== undefined) return parkMessage(arrival, invocation, claim, reason, toError(thrown));
  return release(arrival, invocation, claim, thrown, {
    counts: later === undefined,
    deferred: later !== undefined,
    visibleInMillis:
      later === undefined ? invocation.backoffMillis(claim.row.attempts) : later.afterSeconds * 1_000,
  });
}

/** The deployment is at fault, not the message: the attempt is given back and the invocation will fail. */
export function giveBackBlameless(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  error: Error,
): Promise<Ending> {
  const visibleInMillis = invocation.backoffMillis(claim.row.attempts);
  return release(arrival, invocation, claim, error, { counts: false, deferred: false, visibleInMillis });
}

/** Why this failure parks the message at once, if it does. */
async function parkReasonOf(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  thrown: unknown,
): Promise<ParkReason | undefined> {
  if (isNamed(thrown, 'PoisonMessageError')) return 'poison';
  if (isNamed(thrown, 'EffectKeyExpiredError')) return 'effect-key-expired';
  if (!isNamed(thrown, 'RetryLaterError') && claim.isLast) {
    return 'attempts-exhausted';
  }
  return (await isLastDelivery(arrival, invocation)) ? 'last-delivery' : undefined;
}

/** Whether SQS will move the message away by itself after this delivery, without a word why. */
export async function isLastDelivery(arrival: Arrival, invocation: Invocation): Promise<boolean> {
  const maxReceiveCount = await invocation.queueOf(arrival.record.eventSourceARN).maxReceiveCount();
  return maxReceiveCount !== undefined && arrival.receives >= maxReceiveCount;
}

interface GivingBack {
  readonly counts: boolean;
  readonly deferred: boolean;
  readonly visibleInMillis: number | undefined;
}

async function release(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  thrown: unknown,
  { counts, deferred, visibleInMillis }: GivingBack,
): Promise<Ending> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const attempt = { attempt: claim.row.attempts, fence: claim.fence };
  const landing = await persist(invocation, (limit) =>
    store.release(
      claim,
      {
        attempts: claim.row.attempts - (counts ? 0 : 1),
        ...(counts ? lastErrorOf(thrown) : {}),
        settledAt: nowMillis,
        expiresAt: expiryOf(arrival, invocation, nowMillis),
      },
      limit,
    ),
  );
  if (landing.status === 'refused') {
    // A commit whose reply was lost may have landed after all: then the work is done, and this is its duplicate.
    return landing.row !== undefined && isOwnSettle(claim, landing.row)
      ? answerDuplicate(arrival, invocation, landing.row)
      : fencedOut(arrival, invocation, claim);
  }
  invocation.tell(deferred ? 'deferred' : 'failed', arrival, { ...attempt, error: toError(thrown) });
  if (landing.status === 'landed' || visibleInMillis === undefined) return returned(visibleInMillis);
  // The claim could not be given back: the message is of no use before the lease is over.
  const leaseLeft = (claim.row.leaseEndsAt ?? nowMillis) + skewMillis - nowMillis;
  return returned(Math.max(visibleInMillis, leaseLeft));
}

/** Gives a claim back that no user code ran under; the attempt does not count. */
export async function giveBackUnstarted(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
): Promise<Ending> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const landing = await persist(invocation, (limit) =>
    store.release(
      claim,
      {
        attempts: claim.row.attempts - 1,
        settledAt: nowMillis,
        expiresAt: expiryOf(arrival, invocation, nowMillis),
      },
      limit,
    ),
  );
  if (landing.status === 'refused') return fencedOut(arrival, invocation, claim);
  return unstarted(arrival, invocation);
}

/** Returned before anything was done for it: visible again at once. */
export function unstarted(arrival: Arrival, invocation: Invocation): Ending {
  invocation.tell('unstarted', arrival);
  return returned(0);
}
