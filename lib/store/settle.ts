import type { ClaimRef, ClaimRow } from '../words.ts';
import { type Changes, heldStatement } from './expression.ts';
import type { Settlement } from './port.ts';
import type { UpdateStatement } from './table.ts';

/** Records the outcome for good. */
export function settleStatement(tableName: string, claim: ClaimRef, settlement: Settlement): UpdateStatement {
  return heldStatement(tableName, claim, 'leased', settledChanges(settlement));
}

/** What a settle changes in the row. */
export function settledChanges(settlement: Settlement): Changes {
  return { ...outcomeAttributes(settlement), leaseEndsAt: undefined, lastError: undefined };
}

/** The attributes an outcome adds to a row. */
export function outcomeAttributes(settlement: Settlement): Partial<ClaimRow> {
  const { followUps, result, ...outcome } = settlement;
  return {
    ...outcome,
    ...(result !== undefined ? { result } : {}),
    ...(followUps !== undefined && followUps.length > 0 ? { followUps, followUpsSent: 0 } : {}),
  };
}

/** Whether an outcome of this very claim is recorded: a settle landed and only its reply was lost. */
export function isOwnSettle(claim: ClaimRef, standing: ClaimRow | undefined): boolean {
  return (
    standing !== undefined &&
    standing.owner === claim.owner &&
    standing.fence === claim.fence &&
    (standing.status === 'completed' || standing.status === 'rejected')
  );
}
