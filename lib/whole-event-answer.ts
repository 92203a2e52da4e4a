import { ConfigurationError } from './errors.ts';
import { isUnfinished, unknownValue } from './handle/handled.ts';
import type { MessageResult } from './passenger.ts';

/** A whole-event handler's answer, message by message. */
export type EventAnswer =
  | { readonly status: 'results'; readonly results: readonly MessageResult[] }
  /** Nothing can be told of single messages: why the invocation fails, and what is kept of it for each. */
  | { readonly status: 'failed'; readonly error: unknown; readonly reason: unknown };

/**
 * Reads what a handler answered for the messages it was given: an array of settled results in their order, a
 * list of failures of its own, or anything else, which means that all of them are done. Whatever the answer is
 * or holds that still has to end is waited for: Middy 7 hands a thenable through as it is.
 */
export async function resultsOf(response: unknown, messageIds: readonly string[]): Promise<EventAnswer> {
  try {
    const answer = await response;
    return finishedResults(isUnfinished(answer) ? await Promise.allSettled(answer) : answer, messageIds);
  } catch (error) {
    return { status: 'failed', error, reason: failureReason(error, messageIds.length) };
  }
}

function finishedResults(answer: unknown, messageIds: readonly string[]): EventAnswer {
  if (Array.isArray(answer) && (answer.length === 0 || answer.some(isSettled))) {
    return { status: 'results', results: messageIds.map((_id, place) => settledAt(answer, place)) };
  }
  const failures =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'batchItemFailures') : undefined;
  return failures === undefined || failures === null
    ? { status: 'results', results: messageIds.map(() => done) }
    : fromFailures(failures, messageIds);
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
function fromFailures(failures: unknown, messageIds: readonly string[]): EventAnswer {
  const given = new Set(messageIds);
  const failed: readonly unknown[] = Array.isArray(failures)
    ? failures.map((entry) => entry?.itemIdentifier)
    : [undefined];
  if (failed.some((id) => typeof id !== 'string' || !given.has(id))) {
    const error = new ConfigurationError(
      'the handler answered with batchItemFailures that name a message it was not given; each entry is { itemIdentifier: <a messageId of its records> }',
    );
    return { status: 'failed', error, reason: error };
  }
  const listed = new Set(failed);
  return {
    status: 'results',
    results: messageIds.map((id) =>
      listed.has(id)
        ? { status: 'rejected', reason: new Error('the handler listed the message in batchItemFailures') }
        : done,
    ),
  };
}

/**
 * What a handler's throw means for each message it was given. An error that decides over one message (poison,
 * later) decides over one only; of several, nobody knows which was meant.
 */
export function failureReason(error: unknown, messages: number): unknown {
  return messages === 1 ? error : new Error('the handler threw for the whole event', { cause: error });
}
