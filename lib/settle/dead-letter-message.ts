import { createHash } from 'node:crypto';
import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { Arrival } from '../arrive/message.ts';
import { type OnceAttribute, onceAttributeName } from '../arrive/once-attribute.ts';
import { isFifoArn, type SqsMessageAttribute, type SqsRecord } from '../arrive/record.ts';
import { errorSummary } from '../errors.ts';

/** SQS takes ten attributes and 1,048,576 bytes a message, names, types and values counted. */
const mostAttributes = 10;
const mostBytes = 1_048_576;

/** What is told of a parking, from the attempt or, for one that was recorded and not yet sent, from the row. */
export interface ParkingStory {
  readonly parkId: string;
  readonly reason: string;
  readonly error: unknown;
  readonly attempts: number;
  readonly firstClaimedAt: number;
  readonly parkedAt: number;
}

/** Names one parking: the same for every try to send it, another for the same work parked again later. */
export function parkIdOf(rowKey: string, messageId: string): string {
  return createHash('sha256').update(`${rowKey}\n${messageId}`).digest('base64url').slice(0, 32);
}

/**
 * The message for the dead-letter queue: body and attributes as they came, and one attribute of ours with the
 * story. When there is no room the story gives way, first its texts, then all of it; the message never does.
 */
export function deadLetterMessage(
  arrival: Arrival,
  scope: string,
  story: ParkingStory,
  queueUrl: string,
): SendMessageCommandInput {
  const { record } = arrival;
  const attributes = attributesOf(record);
  const telling = fitted(record.body, attributes, storyAttribute(arrival, scope, story));
  if (telling !== undefined) attributes[onceAttributeName] = telling;
  const group = record.attributes.MessageGroupId;
  return {
    QueueUrl: queueUrl,
    MessageBody: record.body,
    MessageAttributes: attributes,
    ...(group !== undefined ? { MessageGroupId: group } : {}),
    ...(isFifoArn(queueUrl)
      ? { MessageGroupId: group ?? 'parked', MessageDeduplicationId: story.parkId }
      : {}),
  };
}

/** The user's attributes, byte for byte; ours from an earlier parking is replaced. */
function attributesOf(record: SqsRecord): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(record.messageAttributes)
      .filter(([name]) => name !== onceAttributeName)
      .map(([name, attribute]) => [name, sdkAttribute(attribute)]),
  );
}

/** Lambda's lower camel case and base64, as the SDK's client takes them. */
export function sdkAttribute(attribute: SqsMessageAttribute): MessageAttributeValue {
  return {
    DataType: attribute.dataType,
    ...(attribute.stringValue !== undefined ? { StringValue: attribute.stringValue } : {}),
    ...(attribute.binaryValue !== undefined
      ? { BinaryValue: Buffer.from(attribute.binaryValue, 'base64') }
      : {}),
  };
}

function storyAttribute(arrival: Arrival, scope: string, story: ParkingStory): OnceAttribute {
  return {
    v: 1,
    scope,
    ...(arrival.key !== undefined ? { key: arrival.key } : {}),
    parkId: story.parkId,
    reason: story.reason,
    ...(story.error !== undefined ? { error: errorSummary(story.error) } : {}),
    receives: arrival.receives,
    attempts: story.attempts,
    firstClaimedAt: story.firstClaimedAt,
    parkedAt: story.parkedAt,
    sentAt: arrival.oldestMillis,
    source: arrival.record.eventSourceARN,
    messageId: arrival.originalMessageId,
  };
}

function fitted(
  body: string,
  attributes: Readonly<Record<string, MessageAttributeValue>>,
  story: OnceAttribute,
): MessageAttributeValue | undefined {
  if (Object.keys(attributes).length >= mostAttributes) return undefined;
  const room =
    mostBytes - Buffer.byteLength(body) - attributeBytes(attributes) - onceAttributeName.length - 6;
  const { error, reason, ...rest } = story;
  const tellings: OnceAttribute[] = [
    story,
    {
      ...rest,
      reason: reason?.slice(0, 200) ?? '',
      ...(error ? { error: { ...error, message: error.message.slice(0, 100) } } : {}),
    },
    { ...rest, reason: reason?.slice(0, 60) ?? '' },
    rest,
  ];
  const telling = tellings
    .map((attempt) => JSON.stringify(attempt))
    .find((text) => Buffer.byteLength(text) <= room);
  return telling === undefined ? undefined : { DataType: 'String', StringValue: telling };
}

function attributeBytes(attributes: Readonly<Record<string, MessageAttributeValue>>): number {
  return Object.entries(attributes).reduce(
    (bytes, [name, value]) =>
      bytes +
      Buffer.byteLength(name) +
      Buffer.byteLength(value.DataType ?? '') +
      Buffer.byteLength(value.StringValue ?? '') +
      (value.BinaryValue?.byteLength ?? 0),
    0,
  );
}
