import { type RejectedCondition, TransactionRejectedError } from '../errors.ts';
import type { RejectedWrite } from '../store/port.ts';
import type { WriteKind } from './transaction-input.ts';
import { nativeItem } from './transaction-values.ts';
import type { PlannedTransition } from './transition.ts';
import type { Refusal } from './transition-refusal.ts';

/** What the refused conditions of a transaction mean for the attempt. */
export type Judgement =
  /** A transition can never apply any more: recorded as a no-op and acknowledged. */
  | { readonly status: 'rejected'; readonly reason: string }
  /** A transition may apply once other events have arrived: returned, and parked at the limit. */
  | { readonly status: 'early'; readonly error: TransactionRejectedError }
  /** A condition of the user's did not hold: a failure of the attempt. */
  | { readonly status: 'condition'; readonly error: TransactionRejectedError };

/** What is known of a write that was refused. */
export interface CollectedWrite {
  readonly kind: WriteKind;
  readonly table: string;
  readonly judge: PlannedTransition['judge'] | undefined;
}

/**
 * Reads a refused transaction. A condition of the user's own speaks for a failure, whatever transitions failed
 * beside it. Among transitions the one that can never apply decides: no retry will make the transaction land.
 */
export function judgement(writes: readonly CollectedWrite[], failures: readonly RejectedWrite[]): Judgement {
  const refusals: Refusal[] = [];
  let ownCondition = false;
  for (const { index, item } of failures) {
    const refusal = writes[index]?.judge?.(item);
    if (refusal === undefined) ownCondition = true;
    else refusals.push(refusal);
  }
  if (ownCondition) return { status: 'condition', error: rejectedError(writes, failures, refusals) };
  const rejected = refusals.find(({ status }) => status === 'rejected');
  if (rejected !== undefined) return { status: 'rejected', reason: rejected.reason };
  const astray = refusals.some(({ status }) => status === 'astray');
  return { status: astray ? 'condition' : 'early', error: rejectedError(writes, failures, refusals) };
}

function rejectedError(
  writes: readonly CollectedWrite[],
  failures: readonly RejectedWrite[],
  refusals: readonly Refusal[],
): TransactionRejectedError {
  const names = failures.map(({ index }) => writeName(index, writes[index]?.kind, writes[index]?.table));
  const reasons = refusals.map(({ reason }) => `; ${reason}`).join('');
  return new TransactionRejectedError(
    `nothing of the transaction was applied: the condition of ${names.join(', ')} did not hold${reasons}`,
    failures.map(nativeFailure) as [RejectedCondition, ...RejectedCondition[]],
  );
}

function nativeFailure({ index, item }: RejectedWrite): RejectedCondition {
  return { index, item: item === undefined ? undefined : nativeItem(item) };
}

/** A write as errors name it; its place is the one in the order of the calls, from 0. */
export function writeName(index: number, kind: WriteKind | undefined, table: string | undefined): string {
  return `write ${index} (${kind} in "${table}")`;
}
