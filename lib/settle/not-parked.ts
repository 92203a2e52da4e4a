import type { Arrival } from '../arrive/message.ts';
import type { Claim } from '../claim/claim-message.ts';
import { isNamed } from '../errors.ts';
import { attemptOf } from '../handle/run-claimed.ts';
import type { Invocation } from '../invocation.ts';
import { isOwnSettle } from '../store/settle.ts';
import type { Landing } from '../words.ts';
import { answerDuplicate } from './answer-duplicate.ts';
import { type Ending, returned } from './ending.ts';
import { heldMillis } from './hold.ts';
import type { ParkReason } from './park-message.ts';
import type { Unavailable } from './persist.ts';
import { useUpAttempts } from './use-up-attempts.ts';

/**
 * What cannot or must not be parked is kept without an attempt left: asked about again and never run.
 *
 * - `held`, under `fifoPoison: 'hold'`: the group waits for a person, who lets it go with `sqs-once claims release`.
 * - `no queue` for dead letters: the message is left to the queue's own redrive policy.
 */
export async function keepUnparked(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  error: unknown,
  why: 'held' | 'no queue',
): Promise<Ending> {
  const landing = await useUpAttempts(arrival, invocation, claim, reason, error);
  if (landing.status !== 'landed') return unlanded(arrival, invocation, claim, reason, landing);
  if (why === 'no queue') {
    return parkFailed(arrival, invocation, `${reason}: no dead-letter queue is known`, thrownBy(error).error);
  }
  const told = { reason: `held: ${reason}`, ...attemptOf(claim), ...thrownBy(error) };
  invocation.tell('failed', arrival, told);
  return returned(heldMillis);
}

export function parkFailed(
  arrival: Arrival,
  invocation: Invocation,
  reason: string,
  error: Error | undefined,
): Ending {
  invocation.tell('park-failed', arrival, { reason, ...thrownBy(error) });
  return returned(invocation.backoffMillis(arrival.receives));
}

/** An error as it was thrown; a row keeps only its text, which is told by `reason` already. */
export function thrownBy(error: unknown): { readonly error?: Error } {
  return error instanceof Error ? { error } : {};
}

/**
 * The row did not take what decides over the message.
 *
 * - It is not ours any more: another attempt has the claim, or a commit of ours had landed after all. Its reply
 *   was lost, so the attempt was taken for failed; the work is done, and this is its duplicate.
 * - The table cannot be told. When it never can (rights, another shape), the invocation fails, once and loudly.
 */
export function unlanded(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  landing: Exclude<Landing, { status: 'landed' }> | Unavailable,
): Ending | Promise<Ending> {
  if (landing.status === 'refused') {
    return landing.row !== undefined && isOwnSettle(claim, landing.row)
      ? answerDuplicate(arrival, invocation, landing.row)
      : fencedOut(arrival, invocation, claim);
  }
  if (isNamed(landing.error, 'ConfigurationError')) invocation.doom(landing.error);
  return parkFailed(arrival, invocation, reason, landing.error);
}

/** Another attempt has the claim: nothing more is written, sent or made visible by this one. */
export function fencedOut(arrival: Arrival, invocation: Invocation, claim: Claim): Ending {
  invocation.tell('fenced-out', arrival, attemptOf(claim));
  return returned(undefined);
}
