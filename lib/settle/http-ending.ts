import type { EngineInvocation } from '../invocation.ts';
import { defaultLeaseMillis, millisUntilFree } from '../lease.ts';
import { problem, retryAfterSeconds } from './http-problem.ts';
import type { PlainResponse } from './http-response.ts';

/** What becomes of a request. */
export type RequestEnding =
  /** An answer of ours, or the recorded one. */
  | { readonly status: 'answered'; readonly response: PlainResponse }
  /** The handler's own answer, as it was read when the handler was done: what is recorded is what is sent. */
  | { readonly status: 'passed'; readonly response: PlainResponse }
  | { readonly status: 'threw'; readonly error: unknown };

export function answered(response: PlainResponse): RequestEnding {
  return { status: 'answered', response };
}

/** Not done, so never answered as done: the sender asks again when the running attempt's lease is over. */
export function inFlight(afterMillis: number): RequestEnding {
  return answered(problem('in-flight', undefined, retryAfterSeconds(afterMillis)));
}

/** How long a lease keeps others out; one that cannot be read does so for as long as the row is there. */
export function leaseLeftMillis({ settings }: EngineInvocation, leaseEndsAt: number | undefined): number {
  if (leaseEndsAt === undefined) return defaultLeaseMillis;
  return millisUntilFree(leaseEndsAt, settings.store.ambient.wallMillis());
}

/** A table or a queue that does not answer is given this long. */
const pauseSeconds = 5;

export function unavailable(afterMillis = pauseSeconds * 1_000): RequestEnding {
  return answered(problem('unavailable', undefined, retryAfterSeconds(afterMillis)));
}

export function followUpsUnsent(): RequestEnding {
  return answered(problem('follow-ups-unsent', undefined, pauseSeconds));
}
