import { type ClaimRow, letGoReason } from '../words.ts';
import { updateStatement } from './expression.ts';
import { allOf, sameClaim, sameStatus } from './guard.ts';
import type { UpdateStatement } from './table.ts';

/**
 * A person lets a held group go on without this message: its next delivery is parked and does not run. The
 * fence rises as with every change of hands, and what the row knows stays for the parking's story.
 */
export function letGoStatement(
  tableName: string,
  seen: ClaimRow,
  owner: string,
  nowMillis: number,
): UpdateStatement {
  return updateStatement(tableName, seen.claim, allOf(sameClaim(seen), sameStatus(seen)), {
    status: 'released',
    fence: seen.fence + 1,
    owner,
    reason: letGoReason,
    settledAt: nowMillis,
    leaseEndsAt: undefined,
  });
}
