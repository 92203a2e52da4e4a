import type { ClaimRow } from '../words.ts';
import { heldStatement } from './expression.ts';
import type { UpdateStatement } from './table.ts';

/**
 * A person lets go of a row: the next delivery runs as a first attempt. The fence rises, so whoever held the
 * claim finds itself fenced out; nothing is deleted, so the age of effect keys survives.
 */
export function reopenStatement(
  tableName: string,
  seen: ClaimRow,
  owner: string,
  nowMillis: number,
): UpdateStatement {
  return heldStatement(tableName, { rowKey: seen.claim, fence: seen.fence, owner: seen.owner }, seen.status, {
    status: 'released',
    fence: seen.fence + 1,
    owner,
    attempts: 0,
    settledAt: nowMillis,
    leaseEndsAt: undefined,
    reason: undefined,
    parkId: undefined,
    parkSent: undefined,
  });
}
