import type { Arrival } from '../arrive/message.ts';
import { callLimit, type EngineInvocation, type Invocation, leaseMillisNow } from '../invocation.ts';
import { expiryEpochSeconds, skewMillis } from '../lease.ts';
import type { Work } from '../words.ts';
import { claimMessage, type Verdict } from './claim-message.ts';
import type { Purpose, Wish } from './decide.ts';

/** A verdict, and when by both clocks the lease of a won claim began to count. */
export interface Claiming {
  readonly verdict: Verdict;
  readonly leaseMillis: number;
  readonly askedAtMonotonicMillis: number;
}

/** Asks for a message's claim. */
export function claimArrival(
  arrival: Arrival,
  invocation: Invocation,
  purpose: Purpose,
  maxAttempts: number = invocation.settings.maxAttempts,
): Promise<Claiming> {
  return claimWork(arrival, invocation, () => wishOf(arrival, invocation, purpose, maxAttempts));
}

/** Asks for the claim of a piece of work. The lease counts from here, before the request is sent. */
export async function claimWork(
  work: Work,
  invocation: EngineInvocation,
  makeWish: () => Wish,
): Promise<Claiming> {
  const { store } = invocation.settings;
  const askedAtMonotonicMillis = store.ambient.monotonicMillis();
  const wish = makeWish();
  const leaseMillis = leaseMillisNow(invocation);
  const verdict = await claimMessage(
    store,
    work.rowKey,
    wish,
    {
      leaseEndsAt: Math.ceil(wish.nowMillis + leaseMillis),
      expiresAt: expiryOf(work, invocation, wish.nowMillis),
    },
    callLimit(invocation, leaseMillis / 2),
  );
  return { verdict, leaseMillis, askedAtMonotonicMillis };
}

export function wishOf(
  arrival: Arrival,
  { settings }: Invocation,
  purpose: Purpose,
  maxAttempts: number,
): Wish {
  const { ambient } = settings.store;
  const nowMillis = ambient.wallMillis();
  const retentionMillis = settings.retentionMillis(arrival.fifoGroup !== undefined);
  return {
    purpose,
    nowMillis,
    owner: ambient.randomId(),
    messageId: arrival.messageId,
    fingerprint: arrival.fingerprint,
    mark: arrival.mark,
    maxAttempts,
    // Its row may have been written, and may be judged, by clocks that are behind the queue's.
    outlivedItsRow: arrival.receivedBefore && nowMillis - arrival.oldestMillis > retentionMillis - skewMillis,
    ownRowGoneAtMillis: triedSinceMillis(arrival) + retentionMillis - skewMillis,
    ...(settings.claim === 'with-commit' ? { triedSinceMillis: triedSinceMillis(arrival) } : {}),
  };
}

/**
 * Since when a message may have been tried without a row that says so. One that was brought back was tried
 * before it lay in the dead-letter queue: at the earliest when it was sent.
 */
export function triedSinceMillis({ mark, oldestMillis, firstReceivedAtMillis }: Arrival): number {
  return mark === undefined ? firstReceivedAtMillis : (mark.firstClaimedAt ?? oldestMillis);
}

/** Until when a row touched now is kept, in epoch seconds. */
export function expiryOf(work: Work, { settings }: EngineInvocation, nowMillis: number): number {
  return expiryEpochSeconds(nowMillis, settings.retentionMillis(work.fifoGroup !== undefined));
}
