import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { UpdateStatement } from './table.ts';

/**
 * Moves a running lease's end, never back: a renewal that the network delivers late must not shorten the lease
 * that the next one gave. One that comes after settle or release finds another status: refused.
 */
export function renewStatement(tableName: string, claim: ClaimRef, leaseEndsAt: number): UpdateStatement {
  return heldStatement(tableName, claim, 'leased', { leaseEndsAt }, 'NOT leaseEndsAt > :leaseEndsAt');
}
