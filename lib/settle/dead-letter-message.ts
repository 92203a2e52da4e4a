import { createHash } from 'node:crypto';
import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { Arrival } from '../arrive/message.ts';
import {
  type OnceAttribute,
  onceAttributeName,
  onceAttributeOf,
  readOnceAttribute,
} from '../arrive/once-attribute.ts';
import type { SqsMessageAttribute, SqsRecord } from '../arrive/record.ts';
import { isFifoUrl } from '../handle/follow-up-record.ts';
import { errorSummary } from './error-summary.ts';
import { withOnceAttribute } from './fit-attribute.ts';

/** What is told of a parking, from the attempt or, for one that was recorded and not yet sent, from the row. */
export interface ParkingStory {
  readonly parkId: string;
  /** Fence of the claim that parked. */
  readonly fence: number;
  readonly reason: string;
  readonly error: unknown;
  readonly attempts: number;
  readonly firstClaimedAt: number;
  readonly parkedAt: number;
  readonly effects: number | undefined;
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
  const group = record.attributes.MessageGroupId;
  return {
    QueueUrl: queueUrl,
    MessageBody: record.body,
    MessageAttributes: withOnceAttribute(
      record.body,
      attributesOf(record),
      tellingsOf(storyAttribute(arrival, scope, story)),
    ),
    ...(group !== undefined ? { MessageGroupId: group } : {}),
    ...(isFifoUrl(queueUrl)
      ? { MessageGroupId: group ?? 'parked', MessageDeduplicationId: `${story.parkId}-${story.fence}` }
      : {}),
  };
}

/** The same without our attribute, for a queue that takes less than SQS at most does; if it had none, nothing. */
export function withoutStory(message: SendMessageCommandInput): SendMessageCommandInput | undefined {
  const { [onceAttributeName]: story, ...attributes } = message.MessageAttributes ?? {};
  return readOnceAttribute(story?.StringValue) === undefined
    ? undefined
    : { ...message, MessageAttributes: attributes };
}

/** The user's attributes, byte for byte; ours from an earlier parking is replaced. */
function attributesOf(record: SqsRecord): Record<string, MessageAttributeValue> {
  const ours = onceAttributeOf(record) === undefined ? undefined : onceAttributeName;
  return Object.fromEntries(
    Object.entries(record.messageAttributes)
      .filter(([name]) => name !== ours)
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
  const followUp = onceAttributeOf(arrival.record)?.followUp;
  return {
    v: 1,
    scope,
    ...(arrival.key !== undefined ? { key: arrival.key } : {}),
    ...(followUp !== undefined ? { followUp } : {}),
    parkId: story.parkId,
    messageId: arrival.originalMessageId,
    sentAt: arrival.oldestMillis,
    firstClaimedAt: story.firstClaimedAt,
    ...(story.effects !== undefined ? { effects: story.effects } : {}),
    source: arrival.record.eventSourceARN,
    reason: story.reason,
    ...(story.error !== undefined ? { error: toldError(story.error) } : {}),
    receives: arrival.receives,
    attempts: story.attempts,
    parkedAt: story.parkedAt,
  };
}

/** An error as the handler threw it, or as a row keeps it: `Name: message`. */
function toldError(error: unknown): NonNullable<OnceAttribute['error']> {
  const [, name, message] = (typeof error === 'string' && /^(\S+): (.*)$/s.exec(error)) || [];
  return name !== undefined && message !== undefined ? { name, message } : errorSummary(error);
}

const shortReason = 60;
const shortError = 100;

/** The story from the longest telling to the shortest, which only says whose work this is and how old it is. */
function tellingsOf(story: OnceAttribute): readonly OnceAttribute[] {
  const { error, reason = '', receives, attempts, parkedAt, ...identity } = story;
  const brief = { ...story, reason: reason.slice(0, shortReason) };
  const { error: _, ...withoutError } = brief;
  return [
    story,
    ...(error !== undefined
      ? [{ ...brief, error: { ...error, message: error.message.slice(0, shortError) } }]
      : []),
    withoutError,
    identity,
  ];
}
