import type { ClaimStore } from '../store/port.ts';
import type { ClaimRef } from '../words.ts';

/** A beating heart of a claim. */
export interface Heartbeat {
  /** Stops it and waits for the renewal that may be in the air, so that nothing is written after the outcome. */
  stop(): Promise<void>;
}

/**
 * Renews a short lease at a third of it until stopped. A refused renewal means another attempt has the claim;
 * renewals that fail until the lease is over mean it may have: either way the claim is lost to us.
 *
 *   claim ──⅓── renew ──⅓── renew (fails) ──⅓── renew (fails) ─▶ lease over: lost
 */
export function startHeartbeat(
  store: ClaimStore,
  claim: ClaimRef,
  leaseMillis: number,
  onLost: (cause?: unknown) => void,
): Heartbeat {
  const { ambient } = store;
  let leaseEndsAt = ambient.wallMillis() + leaseMillis;
  let stopped = false;
  let beating: Promise<void> = Promise.resolve();
  let cancel = ambient.after(leaseMillis / 3, tick);

  function tick(): void {
    beating = renew();
  }

  async function renew(): Promise<void> {
    const until = ambient.wallMillis() + leaseMillis;
    try {
      const landing = await store.renew(claim, until, { timeoutMillis: leaseMillis / 3 });
      if (stopped) return;
      if (landing.status === 'refused') return onLost();
      leaseEndsAt = until;
    } catch (error) {
      if (stopped) return;
      if (ambient.wallMillis() >= leaseEndsAt) return onLost(error);
    }
    cancel = ambient.after(leaseMillis / 3, tick);
  }

  return {
    async stop() {
      stopped = true;
      cancel();
      await beating;
    },
  };
}
