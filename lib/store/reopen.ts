import type { ClaimRow } from '../words.ts';
import { updateStatement } from './expression.ts';
import { allOf, sameClaim, sameStatus } from './guard.ts';
import type { UpdateStatement } from './table.ts';

/**
 * A person lets go of a row: the next delivery runs as a first attempt. The fence rises, so whoever held the
 * claim finds itself fenced out; nothing is deleted, so the age of effect keys survives. A row that no write
 * of ours looks like can be let go too: nothing else frees it before it expires.
 */
export function reopenStatement(
  tableName: string,
  seen: ClaimRow,
  owner: string,
  nowMillis: number,
): UpdateStatement {
  return updateStatement(tableName, seen.claim, allOf(sameClaim(seen), sameStatus(seen)), {
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
