import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import type { OpenAttempt } from '../handle/attempt.ts';
import type { EngineInvocation } from '../invocation.ts';
import type { Settlement } from '../store/port.ts';
import type { Work } from '../words.ts';
import { persist } from './persist.ts';
import { sendRecordedFollowUps } from './recorded-follow-ups.ts';

/** How recording an outcome ended; the queue and HTTP each make their own answer of it. */
export type Recorded =
  | { readonly status: 'completed'; readonly settlement: Settlement; readonly followUpsOut: boolean }
  /** Out of order: recorded as a no-op, nothing of the transaction applied. */
  | { readonly status: 'rejected'; readonly reason: string }
  /** User code succeeded, nothing is pending and the table cannot be told: done all the same. */
  | { readonly status: 'unrecorded'; readonly settlement: Settlement }
  /** What was collected could not be committed: nothing happened. */
  | { readonly status: 'uncommitted'; readonly error: Error }
  /** A condition of the attempt's own writes did not hold. */
  | { readonly status: 'failed'; readonly error: Error }
  /** No try can ever commit these writes. */
  | { readonly status: 'impossible'; readonly cause: unknown }
  | { readonly status: 'fenced-out' };

/** The texts a row keeps of what user code returned, by how it ends. */
export interface Results {
  readonly completed: string | undefined;
  readonly rejected: string | undefined;
}

/** Records what user code returned, together with what it collected, and sends what it wants sent. */
export async function recordOutcome(
  work: Work,
  invocation: EngineInvocation,
  claim: Claim,
  attempt: OpenAttempt,
  results: Results,
): Promise<Recorded> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const writes = attempt.transaction.freeze();
  const followUps = attempt.followUps.freeze();
  const settlement: Settlement = {
    status: 'completed',
    result: results.completed,
    followUps,
    settledAt: nowMillis,
    expiresAt: expiryOf(work, invocation, nowMillis),
  };
  const about = { attempt: claim.row.attempts, fence: claim.fence };
  invocation.tell('settling', work, about);
  const landing = await persist(invocation, (limit) => store.settle(claim, settlement, writes, limit));
  switch (landing.status) {
    case 'landed': {
      const followUpsOut = await sendRecordedFollowUps(work, invocation, claim, followUps, 0);
      if (followUpsOut) invocation.tell('completed', work, about);
      return { status: 'completed', settlement, followUpsOut };
    }
    case 'refused':
      return { status: 'fenced-out' };
    case 'impossible':
      return { status: 'impossible', cause: landing.cause };
    case 'rejected': {
      const judgement = attempt.transaction.judge(landing.failures);
      return judgement.status === 'rejected'
        ? recordRejected(work, invocation, claim, judgement.reason, results.rejected)
        : { status: 'failed', error: judgement.error };
    }
    case 'unavailable':
      if (writes.length + followUps.length > 0) return { status: 'uncommitted', error: landing.error };
      invocation.tell('outcome-unrecorded', work, { ...about, error: landing.error });
      return { status: 'unrecorded', settlement };
    default:
      return landing satisfies never;
  }
}

/** An event that came too late is a no-op that is remembered: nothing applied, never tried again. */
async function recordRejected(
  work: Work,
  invocation: EngineInvocation,
  claim: Claim,
  reason: string,
  result: string | undefined,
): Promise<Recorded> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const settlement: Settlement = {
    status: 'rejected',
    reason,
    result,
    settledAt: nowMillis,
    expiresAt: expiryOf(work, invocation, nowMillis),
  };
  const landing = await persist(invocation, (limit) => store.settle(claim, settlement, [], limit));
  if (landing.status === 'unavailable') return { status: 'uncommitted', error: landing.error };
  if (landing.status !== 'landed') return { status: 'fenced-out' };
  invocation.tell('rejected', work, { reason, attempt: claim.row.attempts, fence: claim.fence });
  return { status: 'rejected', reason };
}
