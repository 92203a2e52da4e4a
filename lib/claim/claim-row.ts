import { type ClaimRow, rowVersion } from '../words.ts';
import type { Decision, Wish } from './decide.ts';
import { honouring } from './marks.ts';

/** How long a claim holds and how long its row stays. */
export interface Terms {
  /** Epoch milliseconds. */
  readonly leaseEndsAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

type Free = Extract<Decision, { status: 'free' }>;

/**
 * The row of a new claim. The fence goes on over everything that stood there. Attempts go on after a release
 * or a lapse and restart after expiry and redrive; the first claim's time, and with it the age of effect
 * keys, survives everything but expiry.
 */
export function claimRow(rowKey: string, free: Free, wish: Wish, terms: Terms): ClaimRow {
  const before = free.taking === 'expired' ? undefined : free.over;
  const reopened = free.taking === 'reopened';
  const counted = wish.purpose === 'park' ? 0 : 1;
  // A second copy of one redrive goes on under what the first one brought.
  const mark = reopened || before === undefined ? wish.mark : undefined;
  const effects = newest(mark?.effects, before?.effects);
  const redrive = mark === undefined ? before?.redrive : honouring(before?.redrive, mark);
  const fingerprint = wish.fingerprint ?? before?.fingerprint;
  return {
    claim: rowKey,
    status: 'leased',
    fence: (free.over?.fence ?? 0) + 1,
    owner: wish.owner,
    attempts: (reopened ? 0 : (before?.attempts ?? 0)) + counted,
    leaseEndsAt: terms.leaseEndsAt,
    expiresAt: terms.expiresAt,
    firstClaimedAt: firstClaimedAt(before, wish),
    claimedAt: wish.nowMillis,
    messageId: wish.messageId,
    version: rowVersion,
    ...(fingerprint !== undefined ? { fingerprint } : {}),
    ...(effects !== undefined ? { effects } : {}),
    ...(redrive !== undefined ? { redrive } : {}),
    ...(before?.lastError !== undefined ? { lastError: before.lastError } : {}),
  };
}

/**
 * A generation of effect keys never goes back. Two messages of one key may both lie in the dead-letter queue, one
 * of them with the generation of an earlier redrive:
 *
 *   A comes back, new effects: 2 ── fails ── B comes back as it was parked: still 2, for A may have charged under it
 */
function newest(...generations: readonly (number | undefined)[]): number | undefined {
  const known = generations.filter((generation) => generation !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function firstClaimedAt(before: ClaimRow | undefined, wish: Wish): number {
  const { nowMillis, mark, triedSinceMillis = nowMillis } = wish;
  return Math.min(
    before?.firstClaimedAt ?? nowMillis,
    mark?.firstClaimedAt ?? nowMillis,
    triedSinceMillis,
    nowMillis,
  );
}
