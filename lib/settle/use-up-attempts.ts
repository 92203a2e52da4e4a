import type { Arrival } from '../arrive/message.ts';
import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import type { Invocation } from '../invocation.ts';
import type { Landing } from '../words.ts';
import { persist, type Unavailable } from './persist.ts';
import { lastErrorOf } from './release-claim.ts';

/** Gives a claim back with no attempts left: the message is asked about again and never run. */
export function useUpAttempts(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: string,
  error: unknown,
): Promise<Landing | Unavailable> {
  const { store, maxAttempts } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  return persist(invocation, (limit) =>
    store.release(
      claim,
      {
        attempts: Math.max(claim.row.attempts, maxAttempts),
        reason,
        ...lastErrorOf(error),
        settledAt: nowMillis,
        expiresAt: expiryOf(arrival, invocation, nowMillis),
      },
      limit,
    ),
  );
}
