// Claims as tests want them: a moment, a wish, and the row that stands.
import { type Claim, claimMessage, type Verdict } from '../../lib/claim/claim-message.ts';
import type { Terms } from '../../lib/claim/claim-row.ts';
import type { Wish } from '../../lib/claim/decide.ts';
import { expiryEpochSeconds } from '../../lib/lease.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import type { ClaimRow } from '../../lib/words.ts';

/** When tests happen: epoch milliseconds with a fraction of a second, so that no rounding stays unseen. */
export const nowMillis = 1_800_000_000_123;
export const leaseMillis = 30_000;
export const retentionMillis = 86_400_000;
export const limit = { timeoutMillis: 10_000 };

let owners = 0;

/** What a message wants that was received for the first time. */
export function wish(given: Partial<Wish> = {}): Wish {
  owners += 1;
  return {
    purpose: 'run',
    nowMillis,
    owner: `owner-${owners}`,
    messageId: 'message-1',
    fingerprint: undefined,
    mark: undefined,
    maxAttempts: 5,
    outlivedItsRow: false,
    ...given,
  };
}

export function termsAt(millis: number): Terms {
  return { leaseEndsAt: millis + leaseMillis, expiresAt: expiryEpochSeconds(millis, retentionMillis) };
}

export function ask(store: ClaimStore, rowKey: string, given: Partial<Wish> = {}): Promise<Verdict> {
  const wanted = wish(given);
  return claimMessage(store, rowKey, wanted, termsAt(wanted.nowMillis), limit);
}

/** The claim of a message that must win it. */
export async function claimed(store: ClaimStore, rowKey: string, given: Partial<Wish> = {}): Promise<Claim> {
  const verdict = await ask(store, rowKey, given);
  if (verdict.status !== 'claimed') throw new Error(`expected a claim, got ${verdict.status}`);
  return verdict.claim;
}

/** A row as a first claim leaves it. */
export function row(given: Partial<ClaimRow> = {}): ClaimRow {
  return {
    claim: 'scope#key',
    status: 'leased',
    fence: 1,
    owner: 'owner',
    attempts: 1,
    ...(given.status === undefined || given.status === 'leased'
      ? { leaseEndsAt: nowMillis + leaseMillis }
      : {}),
    expiresAt: expiryEpochSeconds(nowMillis, retentionMillis),
    firstClaimedAt: nowMillis,
    claimedAt: nowMillis,
    messageId: 'message-1',
    version: 1,
    ...given,
  };
}

export const settlement = {
  status: 'completed',
  result: '{"charge":"ch_1"}',
  settledAt: nowMillis + 1_000,
  expiresAt: expiryEpochSeconds(nowMillis + 1_000, retentionMillis),
} as const;

export const release = {
  attempts: 1,
  lastError: 'Error: no',
  settledAt: nowMillis + 1_000,
  expiresAt: expiryEpochSeconds(nowMillis + 1_000, retentionMillis),
} as const;

export const parking = {
  parkId: 'park-1',
  reason: 'poison',
  settledAt: nowMillis + 1_000,
  expiresAt: expiryEpochSeconds(nowMillis + 1_000, retentionMillis),
} as const;
