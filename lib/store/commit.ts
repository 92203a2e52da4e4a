import { createHash } from 'node:crypto';
import type { ClaimRef } from '../words.ts';
import type { PutStatement, TransactStatement, UpdateStatement } from './table.ts';
import type { TransactionWrite } from './writes.ts';

/** The claim's own write of a transaction. */
export type OwnWrite = { readonly Put: PutStatement } | { readonly Update: UpdateStatement };

/**
 * The claim's own write and the user's writes, all or nothing. The request token comes from the claim, so a
 * retry of this attempt repeats the very same request and another attempt never reuses its token: DynamoDB
 * remembers tokens for ten minutes (at most 36 characters) and answers a repeated one without doing anything.
 */
export function commitStatement(
  claim: ClaimRef,
  own: OwnWrite,
  writes: readonly TransactionWrite[],
): TransactStatement {
  return {
    TransactItems: [own, ...writes],
    ClientRequestToken: createHash('sha256')
      .update(`${claim.rowKey}\n${claim.fence}\n${claim.owner}`)
      .digest('base64url')
      .slice(0, 36),
  };
}
