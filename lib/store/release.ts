import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { Release } from './port.ts';
import type { UpdateStatement } from './table.ts';

/**
 * Gives the claim back. Fence and owner stay in the row: a release whose reply was lost is recognised as ours,
 * and an acquire of ours that the network delivers late finds the fence it wanted to raise already raised.
 */
export function releaseStatement(tableName: string, claim: ClaimRef, release: Release): UpdateStatement {
  return heldStatement(tableName, claim, 'leased', {
    status: 'released',
    ...release,
    leaseEndsAt: undefined,
  });
}
