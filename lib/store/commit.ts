import { createHash } from 'node:crypto';
import { isNamed } from '../errors.ts';
import type { ClaimRef } from '../words.ts';
import type { RejectedWrite } from './port.ts';
import type { PutStatement, TransactStatement, UpdateStatement } from './table.ts';
import type { TransactionWrite } from './writes.ts';

/**
 * The claim's own write and the user's writes, all or nothing. The request token comes from the claim, so a
 * retry of this attempt repeats the very same request and another attempt never reuses its token: DynamoDB
 * remembers tokens for ten minutes (at most 36 characters) and answers a repeated one without doing anything.
 */
export function commitStatement(
  claim: ClaimRef,
  own: { readonly Put: PutStatement } | { readonly Update: UpdateStatement },
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

/** What a cancelled transaction says, read slot by slot; ours is the first. */
export type Cancellation =
  | { readonly status: 'own-refused'; readonly item: Record<string, unknown> | undefined }
  | { readonly status: 'rejected'; readonly failures: readonly [RejectedWrite, ...RejectedWrite[]] }
  | { readonly status: 'impossible' }
  | { readonly status: 'busy' };

interface Reason {
  readonly Code?: string;
  readonly Item?: Record<string, unknown>;
}

/** Slots that will be refused again however often they are sent. */
const impossible: readonly string[] = ['ValidationError', 'ItemCollectionSizeLimitExceeded'];

export function readCancellation(error: unknown): Cancellation | undefined {
  if (!isNamed(error, 'TransactionCanceledException')) return undefined;
  const reasons = (Reflect.get(error as object, 'CancellationReasons') ?? []) as readonly Reason[];
  const [own, ...users] = reasons;
  if (own?.Code === 'ConditionalCheckFailed') return { status: 'own-refused', item: own.Item };
  const failures = users.flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [{ index, item: reason.Item }] : [],
  );
  const [first, ...rest] = failures;
  if (first !== undefined) return { status: 'rejected', failures: [first, ...rest] };
  if (reasons.some((reason) => impossible.includes(reason.Code ?? ''))) return { status: 'impossible' };
  return { status: 'busy' };
}
