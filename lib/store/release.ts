import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { Release } from './port.ts';
import type { UpdateStatement } from './table.ts';

/**
 * Gives the claim back. The owner stays in the row: an acquire of ours that the network delivers late then
 * meets its own name and cannot take the row a second time.
 */
export function releaseStatement(tableName: string, claim: ClaimRef, release: Release): UpdateStatement {
  return heldStatement(tableName, claim, 'leased', {
    status: 'released',
    ...release,
    leaseEndsAt: undefined,
  });
}
