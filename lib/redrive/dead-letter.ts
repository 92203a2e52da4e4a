import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { type OnceAttribute, onceAttributeName, readOnceAttribute } from '../arrive/once-attribute.ts';

/** A message in a dead-letter queue, as it was received. */
export interface DeadLetter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** The user's attributes, without ours. */
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  /** Our attribute, when the message has one. */
  readonly once: OnceAttribute | undefined;
  readonly groupId: string | undefined;
  /** When it was first sent, as far as is known, epoch milliseconds. */
  readonly sentAtMillis: number;
  readonly receives: number;
  /** ARN of the queue from which SQS moved it here by itself. */
  readonly movedFrom: string | undefined;
}

/** The reason of messages that we did not park. It is filtered by like the reasons of parking. */
export const deadLetteredReason = 'dead-lettered';

export function readDeadLetter(message: Message, nowMillis: number): DeadLetter {
  const { Attributes: system = {} } = message;
  const given = message.MessageAttributes ?? {};
  const once = readOnceAttribute(given[onceAttributeName]?.StringValue);
  const sentAtMillis = Number(system.SentTimestamp ?? nowMillis);
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: Object.fromEntries(
      Object.entries(given)
        .filter(([name]) => once === undefined || name !== onceAttributeName)
        .map(([name, value]) => [name, attributeOf(value)]),
    ),
    once,
    groupId: system.MessageGroupId,
    sentAtMillis: Math.min(sentAtMillis, once?.sentAt ?? sentAtMillis),
    receives: Number(system.ApproximateReceiveCount ?? 1),
    movedFrom: system.DeadLetterQueueSourceArn,
  };
}

/** What can be sent again: the lists SQS knows and does not implement stay out. */
function attributeOf({ DataType, StringValue, BinaryValue }: MessageAttributeValue): MessageAttributeValue {
  return {
    DataType,
    ...(StringValue !== undefined ? { StringValue } : {}),
    ...(BinaryValue !== undefined ? { BinaryValue } : {}),
  };
}

/**
 * The parking this message lies here for; undefined when SQS brought it. A redriven message that SQS moved
 * back here still has our attribute, and is told by its mark or by where SQS says it comes from.
 */
export function parkingOf({ once, movedFrom }: DeadLetter): OnceAttribute | undefined {
  return once?.parkId !== undefined && once.redrive === undefined && movedFrom === undefined
    ? once
    : undefined;
}

/** Why it lies here, in a word people filter by. */
export function reasonOf(letter: DeadLetter): string {
  const parking = parkingOf(letter);
  return parking === undefined ? deadLetteredReason : (parking.reason ?? 'parked');
}

/** The id the message had when it was first sent. */
export function firstMessageIdOf({ once, messageId }: DeadLetter): string {
  return once?.messageId ?? messageId;
}
