import type { SqsBatchResponse, SqsRecord } from '../../lib/arrive/record.ts';
import { type EventMessage, sqsEvent } from '../../lib/local/events-for-tests.ts';
import { startMillis } from './hand-clock.ts';
import { unprintable } from './unprintable.ts';

export const standardQueue = 'test-queue';
export const fifoQueue = 'test-queue.fifo';

/** The body of a message that is given no other: its id, and a note that must never be printed. */
export function bodyOf(messageId: string): { readonly id: string; readonly note: string } {
  return { id: messageId, note: unprintable(`body-of-${messageId}`) };
}

/** One record of a standard queue, with a body of {@link bodyOf} unless another is given. */
export function record(
  messageId: string,
  message: Partial<EventMessage> = {},
  queue = standardQueue,
): SqsRecord {
  const [only] = sqsEvent(
    [{ body: bodyOf(messageId), messageId, sentAt: new Date(startMillis), ...message }],
    { queue },
  ).Records;
  if (only === undefined) throw new Error('no record was built');
  return only;
}

/** One record of a FIFO queue; its group is the first letter of its id: `a1`, `a2`, `b1`. */
export function fifoRecord(messageId: string, message: Partial<EventMessage> = {}): SqsRecord {
  return record(messageId, { groupId: messageId.slice(0, 1), ...message }, fifoQueue);
}

/** The record as SQS delivers it again: same message, one receive more, another receipt. */
export function again(
  given: SqsRecord,
  receives = Number(given.attributes.ApproximateReceiveCount) + 1,
): SqsRecord {
  return {
    ...given,
    receiptHandle: `receipt handle ${receives} of ${given.messageId}`,
    attributes: { ...given.attributes, ApproximateReceiveCount: String(receives) },
  };
}

/** The ids an answer returns, in order. */
export function failedIds(response: SqsBatchResponse): readonly string[] {
  return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
