import type { Arrival, Captured } from '../arrive/message.ts';
import type { Claim } from '../claim/claim-message.ts';
import { isNamed, toError, wantedBackAfterSeconds } from '../errors.ts';
import { attemptOf } from '../handle/run-claimed.ts';
import type { Invocation } from '../invocation.ts';
import { millisUntilFree } from '../lease.ts';
import { answerDuplicate } from './answer-duplicate.ts';
import { type Ending, returned } from './ending.ts';
import { isLastDelivery } from './last-delivery.ts';
import { fencedOut } from './not-parked.ts';
import { type ParkReason, parkMessage } from './park-message.ts';
import { type GivingBack, type Released, releaseClaim } from './release-claim.ts';

/** What becomes of a message whose attempt failed: given back, or parked when there is no use in trying again. */
export async function failAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  thrown: unknown,
): Promise<Ending> {
  const later = wantedBackAfterSeconds(thrown);
  const reason = await parkReasonOf(arrival, invocation, claim, thrown);
  if (reason !== undefined) return parkMessage(arrival, invocation, claim, reason, toError(thrown));
  return release(arrival, invocation, claim, thrown, {
    counts: later === undefined,
    deferred: later !== undefined,
    visibleInMillis: later === undefined ? invocation.backoffMillis(claim.row.attempts) : later * 1_000,
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
  if (wantedBackAfterSeconds(thrown) === undefined && claim.isLast) {
    return 'attempts-exhausted';
  }
  return (await isLastDelivery(arrival, invocation)) ? 'last-delivery' : undefined;
}

interface Returning {
  readonly counts: boolean;
  readonly deferred: boolean;
  readonly visibleInMillis: number | undefined;
}

async function release(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  thrown: unknown,
  { counts, deferred, visibleInMillis }: Returning,
): Promise<Ending> {
  const released = await giveBack(arrival, invocation, claim, { counts, error: thrown });
  if (released.status === 'settled') return answerDuplicate(arrival, invocation, released.row);
  if (released.status === 'fenced-out') return fencedOut(arrival, invocation, claim);
  invocation.tell(deferred ? 'deferred' : 'failed', arrival, {
    ...attemptOf(claim),
    error: toError(thrown),
  });
  if (released.status === 'released' || visibleInMillis === undefined) return returned(visibleInMillis);
  return returned(Math.max(visibleInMillis, untilFree(invocation, claim)));
}

/** Without the right to give claims back every failure would wait for its lease, and nobody would be told. */
async function giveBack(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  why: GivingBack,
): Promise<Released> {
  const released = await releaseClaim(arrival, invocation, claim, why);
  if (released.status === 'unavailable' && isNamed(released.error, 'ConfigurationError')) {
    invocation.doom(released.error);
  }
  return released;
}

/** Gives a claim back that no user code ran under; the attempt does not count. */
export async function giveBackUnstarted(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
): Promise<Ending> {
  const released = await giveBack(arrival, invocation, claim, { counts: false, nothingRan: true });
  if (released.status === 'fenced-out' || released.status === 'settled') {
    return fencedOut(arrival, invocation, claim);
  }
  const ending = unstarted(arrival, invocation);
  return released.status === 'released' ? ending : returned(untilFree(invocation, claim));
}

/** The table did not answer just before user code: nothing ran, as if it had not answered to the claim. */
export async function giveBackUnsure(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  error: Error,
): Promise<Ending> {
  const released = await giveBack(arrival, invocation, claim, { counts: false, nothingRan: true });
  if (released.status === 'fenced-out' || released.status === 'settled') {
    return fencedOut(arrival, invocation, claim);
  }
  invocation.tell('store-unavailable', arrival, { ...attemptOf(claim), error });
  const visibleInMillis = invocation.backoffMillis(arrival.receives);
  if (released.status === 'released' || visibleInMillis === undefined) return returned(visibleInMillis);
  return returned(Math.max(visibleInMillis, untilFree(invocation, claim)));
}

/** Returned before anything was done for it: visible again at once. */
export function unstarted(arrival: Captured, invocation: Invocation): Ending {
  invocation.tell('unstarted', arrival);
  return returned(0);
}

/** A claim that could not be given back: the message is of no use before its lease is over. */
function untilFree(invocation: Invocation, { row: { leaseEndsAt = 0 } }: Claim): number {
  return millisUntilFree(leaseEndsAt, invocation.settings.store.ambient.wallMillis());
}
