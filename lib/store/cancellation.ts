import { isNamed } from '../errors.ts';
import type { RejectedWrite } from './port.ts';

/** What a cancelled transaction says, read slot by slot; ours is the first. */
export type Cancellation =
  | { readonly status: 'own-refused'; readonly item: Record<string, unknown> | undefined }
  | { readonly status: 'rejected'; readonly failures: readonly [RejectedWrite, ...RejectedWrite[]] }
  | { readonly status: 'impossible' }
  /** Another transaction, or too many requests: nothing was decided. */
  | { readonly status: 'busy' };

interface Reason {
  readonly Code?: string;
  readonly Item?: Record<string, unknown>;
}

/** Slots that will be refused again however often they are sent. */
const impossible: readonly string[] = ['ValidationError', 'ItemCollectionSizeLimitExceeded'];

/**
 * Reads a cancellation, or says that the error is none. Our own slot decides first: a fenced-out attempt has
 * nothing to say about its writes. Then the user's conditions, by their place in the user's list.
 */
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
