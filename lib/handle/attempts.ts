import type { SqsRecord } from '../arrive/record.ts';
import { ConfigurationError } from '../errors.ts';
import type { Attempt } from './attempt.ts';

type Named = Pick<SqsRecord, 'messageId' | 'receiptHandle'>;

/** Attempts that wait for the end of a whole-event handler, the newest last. */
const running: { readonly record: Named; readonly attempt: Attempt }[] = [];

export function rememberAttempt(record: Named, attempt: Attempt): () => void {
  const entry = { record, attempt };
  running.push(entry);
  return () => {
    const place = running.indexOf(entry);
    if (place >= 0) running.splice(place, 1);
  };
}

/**
 * The attempt of a record, for handlers that take the event whole. Found by the record itself, else, for a
 * copy, by message id and receipt among the records that are being handled.
 *
 * @throws ConfigurationError when the record is not being handled under the middleware.
 * @example
 * ```ts
 * const attempt = attemptFor(record);
 * await gateway.capture(order, { idempotencyKey: attempt.effectKey('capture') });
 * ```
 */
export function attemptFor(record: { readonly messageId: string; readonly receiptHandle?: string }): Attempt {
  const found =
    running.findLast((entry) => entry.record === record) ??
    running.findLast(
      (entry) =>
        entry.record.messageId === record.messageId &&
        (record.receiptHandle === undefined || entry.record.receiptHandle === record.receiptHandle),
    );
  if (found === undefined) {
    throw new ConfigurationError(
      'attemptFor was given a record that is not being handled; call it inside a handler under the middleware of idempotentConsumer, with a record of its event',
    );
  }
  return found.attempt;
}
