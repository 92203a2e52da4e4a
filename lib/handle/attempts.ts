import type { SqsRecord } from '../arrive/record.ts';
import { ConfigurationError } from '../errors.ts';
import type { Attempt } from './attempt.ts';

/** An attempt that waits for the end of a whole-event handler. */
export interface Running {
  /** The copy of the record that the handler was given. */
  readonly record: SqsRecord;
  /** The record it was copied from. */
  readonly given: SqsRecord;
  readonly attempt: Attempt;
}

const running = new Map<unknown, Running>();

export function rememberAttempt(entry: Running): () => void {
  running.set(entry.record, entry);
  return () => void running.delete(entry.record);
}

/**
 * The attempt of a record, for handlers that take the event whole. Found by the record itself, else, for a
 * copy, by message id among the records that are being handled.
 *
 * @throws ConfigurationError when the record is not being handled under the middleware, or is a copy that
 * fits records of two events.
 * @example
 * ```ts
 * const attempt = attemptFor(record);
 * await gateway.capture(order, { idempotencyKey: attempt.effectKey('capture') });
 * ```
 */
export function attemptFor(record: { readonly messageId: string; readonly receiptHandle?: string }): Attempt {
  const same = running.get(record);
  if (same !== undefined) return same.attempt;
  const [found, another] = copiesOf(record);
  if (found === undefined) {
    throw new ConfigurationError(
      'attemptFor was given a record that is not being handled; call it inside a handler under the middleware of idempotentConsumer, with a record of its event',
    );
  }
  if (another !== undefined) {
    throw new ConfigurationError(
      'attemptFor was given a copy of a record that is being handled in two events of this process; give the record itself, as it is in event.Records',
    );
  }
  return found.attempt;
}

/** Under two consumers the inner one's attempt counts: its records were copied from the outer one's. */
function copiesOf(record: { readonly messageId: string; readonly receiptHandle?: string }) {
  const fits = [...running.values()].filter(
    ({ given: { messageId, receiptHandle } }) =>
      messageId === record.messageId &&
      (record.receiptHandle === undefined || receiptHandle === record.receiptHandle),
  );
  return fits.filter((entry) => !fits.some(({ given }) => given === entry.record));
}
