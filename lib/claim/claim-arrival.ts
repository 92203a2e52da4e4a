import type { Arrival } from '../arrive/message.ts';
import { callLimit, type Invocation, leaseMillisNow } from '../invocation.ts';
import { expiryEpochSeconds } from '../lease.ts';
import { claimMessage, type Verdict } from './claim-message.ts';
import type { Purpose, Wish } from './decide.ts';

/** A verdict, and when by both clocks the lease of a won claim began to count. */
export interface Claiming {
  readonly verdict: Verdict;
  readonly leaseMillis: number;
  readonly askedAtMonotonicMillis: number;
}

/** Asks for a message's claim. The lease counts from here, before the request is sent. */
export async function claimArrival(
  arrival: Arrival,
  invocation: Invocation,
  purpose: Purpose,
  maxAttempts: number = invocation.settings.maxAttempts,
): Promise<Claiming> {
  const { store } = invocation.settings;
  const askedAtMonotonicMillis = store.ambient.monotonicMillis();
  const wish = wishOf(arrival, invocation, purpose, maxAttempts);
  const leaseMillis = leaseMillisNow(invocation);
  const verdict = await claimMessage(
    store,
    arrival.rowKey,
    wish,
    {
      leaseEndsAt: Math.ceil(wish.nowMillis + leaseMillis),
      expiresAt: expiryOf(arrival, invocation, wish.nowMillis),
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
    outlivedItsRow: arrival.receivedBefore && nowMillis - arrival.oldestMillis > retentionMillis,
  };
}

/** Until when a row touched now is kept, in epoch seconds. */
export function expiryOf(arrival: Arrival, { settings }: Invocation, nowMillis: number): number {
  return expiryEpochSeconds(nowMillis, settings.retentionMillis(arrival.fifoGroup !== undefined));
}
