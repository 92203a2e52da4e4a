import { leaseIsOver, rowIsExpired } from '../lease.ts';
import type { ClaimNow } from '../redrive/plan.ts';
import type { ClaimRow } from '../words.ts';

/** Where a claim stands, in a word or two. */
export function claimWord(claim: ClaimNow, nowMillis: number): string {
  if (claim.status === 'unknown') return 'unknown';
  if (claim.status === 'none') return 'no row';
  const word = statusWord(claim.row, nowMillis);
  return rowIsExpired(claim.row.expiresAt, nowMillis) ? `${word}, expired` : word;
}

function statusWord(row: ClaimRow, nowMillis: number): string {
  switch (row.status) {
    case 'leased':
      return leaseIsOver(row.leaseEndsAt, nowMillis) ? 'abandoned' : 'running';
    case 'parked':
      return row.parkSent === true ? 'parked' : 'parked, not sent';
    case 'completed': {
      const unsent = (row.followUps?.length ?? 0) - (row.followUpsSent ?? 0);
      return unsent > 0 ? `completed, ${unsent} unsent` : 'completed';
    }
    case 'released':
    case 'rejected':
      return row.status;
    default:
      return row.status satisfies never;
  }
}
