import type { ClaimStore } from '../store/port.ts';
import type { ClaimRef } from '../words.ts';

/** A lease as it was taken or renewed last. */
export interface Lease {
  readonly leaseMillis: number;
  /** Epoch milliseconds. */
  readonly leaseEndsAt: number;
}

/** Why a claim is not sure any more: another attempt has it, or the lease ran out and another may have it. */
export type Unsure = 'taken' | 'lapsed';

/** A beating heart of a claim. */
export interface Heartbeat {
  /** Stops it and waits for the renewal that may be in the air, so that nothing is written after the end. */
  stop(): Promise<void>;
}

/** The longest a renewal may hang before the next is tried. */
const longestCallMillis = 5_000;

/**
 * Renews a short lease at a third of it until stopped. A refused renewal means that another attempt has the
 * claim; renewals that fail until the lease is over mean that another may have it.
 *
 *   claim ──⅓── renew ──⅓── renew (fails) ─⅙─ again (fails) ─⅙─ … ─▶ lease over: lapsed
 */
export function startHeartbeat(
  store: ClaimStore,
  claim: ClaimRef,
  { leaseMillis, leaseEndsAt }: Lease,
  onUnsure: (why: Unsure, cause?: unknown) => void,
): Heartbeat {
  const { ambient } = store;
  let stopped = false;
  let lastError: unknown;
  let beating: Promise<void> = Promise.resolve();
  let cancelBeat = ambient.after(leaseMillis / 3, beat);
  let cancelEnd = endTimer(leaseEndsAt);

  function endTimer(endsAt: number): () => void {
    return ambient.after(Math.max(0, endsAt - ambient.wallMillis()), () => end('lapsed', lastError));
  }

  function end(why: Unsure, cause?: unknown): void {
    if (stopped) return;
    halt();
    onUnsure(why, cause);
  }

  function halt(): void {
    stopped = true;
    cancelBeat();
    cancelEnd();
  }

  function beat(): void {
    beating = renew();
  }

  async function renew(): Promise<void> {
    const endsAt = Math.ceil(ambient.wallMillis() + leaseMillis);
    let untilNextMillis = leaseMillis / 3;
    try {
      const landing = await store.renew(claim, endsAt, {
        timeoutMillis: Math.min(longestCallMillis, leaseMillis / 3),
      });
      if (stopped) return;
      if (landing.status === 'refused') return end('taken');
      cancelEnd();
      cancelEnd = endTimer(endsAt);
    } catch (error) {
      if (stopped) return;
      lastError = error;
      untilNextMillis = leaseMillis / 6;
    }
    cancelBeat = ambient.after(untilNextMillis, beat);
  }

  return {
    async stop() {
      halt();
      await beating;
    },
  };
}
