import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { UpdateStatement } from './table.ts';

/**
 * Counts the follow-ups that are out, never down; the last one clears the list, and a count that comes late
 * finds nothing to count.
 */
export function markSentStatement(
  tableName: string,
  claim: ClaimRef,
  sent: number,
  all: boolean,
): UpdateStatement {
  const settled = ['completed', 'rejected'] as const;
  if (all) {
    return heldStatement(tableName, claim, settled, { followUps: undefined, followUpsSent: undefined });
  }
  return heldStatement(tableName, claim, settled, { followUpsSent: sent }, 'followUpsSent <= :followUpsSent');
}
