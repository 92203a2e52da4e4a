/**
 * The lease has one rule, used the same in code and in the condition of a write:
 *
 *   claimed ───── leaseMillis ─────▶ leaseEndsAt ── skew ──▶ free
 *
 * The skew pays for two machines' clocks not agreeing. A row without a readable lease is held, not free:
 * it becomes free only when the row itself expires.
 */
export const skewMillis = 1_000;

/** Nothing starts with less time than this left before the function's deadline. */
export const reserveMillis = 1_000;

/** Running attempts are told to stop when this is left: the rest is for settling, parking and sending. */
export const abortMillis = reserveMillis / 2;

/** Attempts that did not stop are left behind when this is left: the rest is for the answer. */
export const answerMillis = reserveMillis / 4;

/** Calls that belong to the answer are given up when this is left. */
export const lastCallMillis = reserveMillis / 20;

/** The lease where no deadline is known; a heartbeat keeps it alive. */
export const defaultLeaseMillis = 60_000;

/** The latest lease end that is over at `nowMillis`: what code and conditions compare with. */
export function latestFreeLeaseEnd(nowMillis: number): number {
  return nowMillis - skewMillis;
}

/** Whether a lease that ends at `leaseEndsAt` frees the claim at `nowMillis`. */
export function leaseIsOver(leaseEndsAt: number | undefined, nowMillis: number): boolean {
  return leaseEndsAt !== undefined && leaseEndsAt <= latestFreeLeaseEnd(nowMillis);
}

/** How long until a lease that ends at `leaseEndsAt` frees the claim; 0 when it already has. */
export function millisUntilFree(leaseEndsAt: number, nowMillis: number): number {
  return Math.max(0, leaseEndsAt + skewMillis - nowMillis);
}

/** The latest `expiresAt` whose row's time is up at `nowMillis`: what code and conditions compare with. */
export function latestExpiryEpochSeconds(nowMillis: number): number {
  return Math.floor(nowMillis / 1_000);
}

/** Whether a row's time is up. DynamoDB deletes expired rows days late, so readers compare the time themselves. */
export function rowIsExpired(expiresAtEpochSeconds: number, nowMillis: number): boolean {
  return expiresAtEpochSeconds <= latestExpiryEpochSeconds(nowMillis);
}

/** The moment after which a row that keeps for `retentionMillis` may go, in DynamoDB's unit. */
export function expiryEpochSeconds(nowMillis: number, retentionMillis: number): number {
  return Math.ceil((nowMillis + retentionMillis) / 1_000);
}
