import { sameFingerprint } from '../arrive/fingerprint.ts';
import { leaseIsOver, rowIsExpired } from '../lease.ts';
import { type ClaimRow, endUnknownReason, letGoReason } from '../words.ts';
import { isHonoured } from './marks.ts';

/**
 * Why a claim is asked for. `run`: user code runs beside others. `run-alone`: nothing else runs in this
 * process, so a row whose last attempt's end is unknown may be taken. `park`: nothing will run.
 */
export type Purpose = 'run' | 'run-alone' | 'park';

/** A redrive mark: which parking or redrive a message comes back from. */
export interface RedriveMark {
  /** Counts once per row: the parking it names, or the redrive of a message SQS dead-lettered itself. */
  readonly id: string;
  /** The parking it once came from: it still names that one when SQS moved the redriven message away unclaimed. */
  readonly parkId?: string;
  /** The generation of effect keys asked for, when a person asked for new ones. */
  readonly effects?: number;
  /** When the message was first claimed, epoch milliseconds, as far as is known. */
  readonly firstClaimedAt?: number;
}

/** What the rule needs to know of the message and of the moment. */
export interface Wish {
  readonly purpose: Purpose;
  readonly nowMillis: number;
  readonly owner: string;
  readonly messageId: string;
  readonly fingerprint: string | undefined;
  readonly mark: RedriveMark | undefined;
  readonly maxAttempts: number;
  /** Older than the row lives, and received before: an absent row does not mean it never ran. */
  readonly outlivedItsRow: boolean;
  /** When a row of its own may have gone, epoch milliseconds: one that began later may be another message's. */
  readonly ownRowGoneAtMillis?: number;
  /** Where work is tried before it is claimed, under `with-commit`: since when, epoch milliseconds. */
  readonly triedSinceMillis?: number;
}

/** How a free row is taken: what of it goes on and what starts afresh. */
export type Taking = 'absent' | 'expired' | 'reopened' | 'continued';

export type Decision =
  | { readonly status: 'free'; readonly taking: Taking; readonly over: ClaimRow | undefined }
  | { readonly status: 'in-flight'; readonly row: ClaimRow }
  /**
   * The last attempt's end is unknown: only an attempt that runs alone may follow. `isBroughtBack`: a person
   * wants it to, who looked at it in the dead-letter queue.
   */
  | { readonly status: 'abandoned'; readonly row: ClaimRow; readonly isBroughtBack: boolean }
  /** Attempts are used up, or a person let go of it: to be parked without running. */
  | { readonly status: 'exhausted'; readonly row: ClaimRow }
  | { readonly status: 'duplicate'; readonly row: ClaimRow }
  | { readonly status: 'parked'; readonly row: ClaimRow }
  | { readonly status: 'key-reused' }
  | { readonly status: 'beyond-retention' };

/**
 * The whole rule: what the row that stands in the table means for a message that wants to run. Pure; the
 * write that follows repeats the parts that may change in between.
 *
 *   absent ──▶ free            leased, lease running ──▶ in flight     completed, rejected ──▶ duplicate
 *   expired ─▶ free, afresh    leased, lease over ─────▶ free, alone   parked, same delivery ▶ parked
 *   released ▶ free            attempts used up ───────▶ exhausted     parked, redriven ─────▶ free
 */
export function decide(row: ClaimRow | undefined, wish: Wish): Decision {
  if (row === undefined) return absent(undefined, wish);
  const leaseRuns = row.status === 'leased' && row.leaseEndsAt !== undefined && !leaseOver(row, wish);
  if (rowIsExpired(row.expiresAt, wish.nowMillis) && !leaseRuns) return absent(row, wish);
  if (otherPayload(row.fingerprint, wish.fingerprint)) return { status: 'key-reused' };

  switch (row.status) {
    case 'completed':
    case 'rejected':
      return { status: 'duplicate', row };
    case 'parked':
      return comesBack(row, wish)
        ? { status: 'free', taking: 'reopened', over: row }
        : { status: 'parked', row };
    case 'leased':
      if (!leaseOver(row, wish)) return { status: 'in-flight', row };
      if (ranNothing(row) && wish.outlivedItsRow && wish.purpose !== 'park')
        return { status: 'beyond-retention' };
      return freed(row, wish);
    case 'released':
      return freed(row, wish);
    default:
      return row.status satisfies never;
  }
}

function absent(over: ClaimRow | undefined, wish: Wish): Decision {
  if (wish.outlivedItsRow && wish.purpose !== 'park') return { status: 'beyond-retention' };
  return { status: 'free', taking: over === undefined ? 'absent' : 'expired', over };
}

/** Nobody holds the row any more, whether it was given back or its lease is over. */
function freed(row: ClaimRow, wish: Wish): Decision {
  if (isFreshMark(row, wish)) return alone({ status: 'free', taking: 'reopened', over: row }, wish, row);
  if (isExhausted(row, wish)) return { status: 'exhausted', row };
  return alone(continued(row, wish), wish, row);
}

/**
 * A key may be used again once its row is gone. The row of that later message vouches for nothing an earlier one
 * of the key did:
 *
 *   A done ── its row goes ── B, same key: a new row ── a late copy of A: nobody knows any more that A was done
 */
function continued(row: ClaimRow, wish: Wish): Decision {
  const { outlivedItsRow, ownRowGoneAtMillis = Number.POSITIVE_INFINITY, mark, purpose } = wish;
  const isLaterOnes = outlivedItsRow && row.firstClaimedAt > ownRowGoneAtMillis;
  const isItsOwn = row.messageId === wish.messageId || (mark !== undefined && isHonoured(row.redrive, mark));
  return isLaterOnes && !isItsOwn && purpose !== 'park'
    ? { status: 'beyond-retention' }
    : { status: 'free', taking: 'continued', over: row };
}

function leaseOver(row: ClaimRow, wish: Wish): boolean {
  return leaseIsOver(row.leaseEndsAt, wish.nowMillis);
}

/**
 * A parked message is back when a mark names its parking, or, without a mark, when SQS gave it another
 * message id: a redrive always does. The same id is a late redelivery of the message that was parked, and so
 * is a mark that counted before. One that never did was given to another message of this key by a person, who
 * wants it back: to acknowledge it would lose it.
 */
function comesBack(row: ClaimRow, wish: Wish): boolean {
  const { mark } = wish;
  if (mark === undefined) return wish.messageId !== row.messageId;
  const namesIt = row.parkId !== undefined && [mark.id, mark.parkId].includes(row.parkId);
  return namesIt || isFreshMark(row, wish);
}

/** A mark counts once: a second copy of the same redrive goes on where the first one is. */
function isFreshMark(row: ClaimRow, wish: Wish): boolean {
  return wish.mark !== undefined && !isHonoured(row.redrive, wish.mark);
}

function isExhausted(row: ClaimRow, wish: Wish): boolean {
  if (wish.purpose === 'park') return false;
  return row.attempts >= wish.maxAttempts || row.reason === letGoReason;
}

function alone(taking: Decision, wish: Wish, row: ClaimRow): Decision {
  return wish.purpose === 'run' && taking.status === 'free' && endIsUnknown(row)
    ? { status: 'abandoned', row, isBroughtBack: isFreshMark(row, wish) }
    : taking;
}

/**
 * A claim that counts no attempt was taken to park, by a worker that is gone. No user code ran under it, so it
 * need not be feared, and it vouches for nothing: a message that had outlived its row still has.
 */
function ranNothing(row: ClaimRow): boolean {
  return row.attempts === 0;
}

/**
 * Whether the last attempt that ran left without a word. The one that took over from it may have been given back
 * before it started, and knew no more:
 *
 *   A claims, is killed ── B claims: no time left, given back ── C: runs alone, for it may be A's killer
 */
export function endIsUnknown(row: ClaimRow): boolean {
  if (ranNothing(row)) return false;
  return row.status === 'leased' || (row.status === 'released' && row.reason === endUnknownReason);
}

/** A fingerprint that is missing on either side proves nothing. */
function otherPayload(recorded: string | undefined, given: string | undefined): boolean {
  return recorded !== undefined && given !== undefined && sameFingerprint(recorded, given) === 'different';
}
