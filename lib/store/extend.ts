import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { UpdateStatement } from './table.ts';

/**
 * Keeps a settled row longer, never shorter: duplicates that still arrive show that SQS has not forgotten the
 * message.
 */
export function extendStatement(
  tableName: string,
  claim: ClaimRef,
  expiresAtEpochSeconds: number,
): UpdateStatement {
  return heldStatement(
    tableName,
    claim,
    ['completed', 'rejected', 'parked'],
    { expiresAt: expiresAtEpochSeconds },
    'NOT expiresAt > :expiresAt',
  );
}
