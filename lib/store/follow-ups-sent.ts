import type { ClaimRef } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { UpdateStatement } from './table.ts';

/** Counts the follow-ups that are out; the last one clears the list. */
export function markSentStatement(
  tableName: string,
  claim: ClaimRef,
  sent: number,
  all: boolean,
): UpdateStatement {
  return heldStatement(
    tableName,
    claim,
    ['completed', 'rejected'],
    all ? { followUps: undefined, followUpsSent: undefined } : { followUpsSent: sent },
  );
}
