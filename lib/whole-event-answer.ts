import type { SqsRecord } from './arrive/record.ts';
import { ConfigurationError } from './errors.ts';
import { unknownValue } from './handle/handled.ts';
import type { MessageResult } from './whole-event.ts';

/** A whole-event handler's answer, message by message. */
export type EventAnswer =
  | { readonly status: 'results'; readonly results: readonly MessageResult[] }
  | { readonly status: 'malformed'; readonly error: Error };

/**
 * Reads what a handler answered for the records it was given: an array of settled results in their order, a
 * list of failures of its own, or anything else, which means that all of them are done.
 */
export function resultsOf(response: unknown, records: readonly SqsRecord[]): EventAnswer {
  if (Array.isArray(response) && (response.length === 0 || response.some(isSettled))) {
    return { status: 'results', results: records.map((_record, place) => settledAt(response, place)) };
  }
  const failures =
    typeof response === 'object' && response !== null
      ? Reflect.get(response, 'batchItemFailures')
      : undefined;
  if (failures === undefined || failures === null) {
    return { status: 'results', results: records.map(() => done) };
  }
  return fromFailures(failures, records);
}

const done: MessageResult = { status: 'fulfilled', value: unknownValue };

function isSettled(entry: unknown): entry is MessageResult {
  const status = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'status') : undefined;
  return status === 'fulfilled' || status === 'rejected';
}

function settledAt(results: readonly unknown[], place: number): MessageResult {
  const result = results[place];
  return isSettled(result)
    ? result
    : {
        status: 'rejected',
        reason: new Error('the handler answered with no settled result in the place of this record'),
      };
}

/** A list AWS would misread fails the whole batch, finished messages included; here as there. */
function fromFailures(failures: unknown, records: readonly SqsRecord[]): EventAnswer {
  const given = new Set(records.map(({ messageId }) => messageId));
  const failed = Array.isArray(failures) ? failures.map((entry) => entry?.itemIdentifier) : [undefined];
  if (failed.some((id) => typeof id !== 'string' || !given.has(id))) {
    return {
      status: 'malformed',
      error: new ConfigurationError(
        'the handler answered with batchItemFailures that name a message it was not given; each entry is { itemIdentifier: <a messageId of its records> }',
      ),
    };
  }
  const listed = new Set(failed);
  return {
    status: 'results',
    results: records.map(({ messageId }) =>
      listed.has(messageId)
        ? { status: 'rejected', reason: new Error('the handler listed the message in batchItemFailures') }
        : done,
    ),
  };
}

/**
 * What a handler's throw means for each message it was given. An error that decides over one message (poison,
 * later) decides over one only; of several, nobody knows which was meant.
 */
export function failureReason(error: unknown, records: number): unknown {
  return records === 1 ? error : new Error('the handler threw for the whole event', { cause: error });
}
