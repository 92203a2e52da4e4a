import type { MessageAttributeValue, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import {
  type OnceAttribute,
  onceAttributeName,
  readOnceAttribute,
} from '../../../lib/arrive/once-attribute.ts';
import type { SqsMessageAttribute, SqsRecord } from '../../../lib/arrive/record.ts';
import type { EventMessage } from '../../../lib/local/events-for-tests.ts';
import { type DeadLetter, readDeadLetter } from '../../../lib/redrive/dead-letter.ts';
import { redrivenMessage } from '../../../lib/redrive/redriven-message.ts';
import { startMillis } from '../hand-clock.ts';
import { fifoRecord, record } from '../records.ts';
import type { World } from '../rig.ts';

const hour = 3_600_000;

/** The row a worker leaves that died while it ran this message. */
export function crashedRow(key: string, attempts = 1) {
  return {
    claim: `tests#${key}`,
    status: 'leased',
    fence: attempts,
    owner: 'a worker that is gone',
    attempts,
    leaseEndsAt: startMillis - hour,
    expiresAt: startMillis / 1_000 + 30 * 86_400,
    firstClaimedAt: startMillis - 2 * hour,
    claimedAt: startMillis - 2 * hour,
    messageId: key,
    version: 1,
  } as const;
}

/** What was sent to the dead-letter queue, in order. */
export function parkedIn(world: World): readonly SendMessageCommandInput[] {
  return world.sqs.inputsOf('SendMessage');
}

/** The stories of what was sent to the dead-letter queue. */
export function storiesIn(world: World): readonly (OnceAttribute | undefined)[] {
  return parkedIn(world).map(storyOf);
}

export function storyOf(message: SendMessageCommandInput): OnceAttribute | undefined {
  return readOnceAttribute(message.MessageAttributes?.[onceAttributeName]?.StringValue);
}

/** A parked message as it lies in the dead-letter queue. */
export function deadLetterOf(
  parked: SendMessageCommandInput,
  messageId: string,
  sentAt = startMillis,
): DeadLetter {
  return readDeadLetter(
    {
      MessageId: messageId,
      ReceiptHandle: `receipt handle of ${messageId}`,
      Body: parked.MessageBody ?? '',
      MessageAttributes: parked.MessageAttributes ?? {},
      Attributes: {
        SentTimestamp: String(sentAt),
        ApproximateReceiveCount: '1',
        ...(parked.MessageGroupId !== undefined ? { MessageGroupId: parked.MessageGroupId } : {}),
      },
    },
    sentAt,
  );
}

/** A message SQS moved to the dead-letter queue by itself: same id, no story. */
export function movedBySqs(given: SqsRecord): DeadLetter {
  return deadLetterOf(
    { QueueUrl: '', MessageBody: given.body, MessageAttributes: sdkAttributes(given.messageAttributes) },
    given.messageId,
    Number(given.attributes.SentTimestamp),
  );
}

/** The dead letter as it arrives after `dlq redrive`, under the new id SQS gives it. */
export function redriven(
  letter: DeadLetter,
  messageId: string,
  { effects, ...more }: Partial<EventMessage> & { readonly effects?: number } = {},
): SqsRecord {
  const sent = redrivenMessage(letter, 'https://sqs/queue', effects);
  return record(messageId, {
    body: sent.MessageBody,
    messageAttributes: lambdaAttributes(sent.MessageAttributes),
    ...more,
  });
}

/** The same in a FIFO queue. */
export function redrivenInGroup(letter: DeadLetter, messageId: string): SqsRecord {
  const sent = redrivenMessage(letter, 'https://sqs/queue.fifo', undefined);
  return fifoRecord(messageId, {
    body: sent.MessageBody,
    messageAttributes: lambdaAttributes(sent.MessageAttributes),
    ...(sent.MessageGroupId !== undefined ? { groupId: sent.MessageGroupId } : {}),
  });
}

/** The parked message as the console brings it back: as it lies there, under a new id, without a mark of ours. */
export function redrivenByConsole(parked: SendMessageCommandInput, messageId: string): SqsRecord {
  return record(messageId, {
    body: parked.MessageBody,
    messageAttributes: lambdaAttributes(parked.MessageAttributes),
  });
}

type SdkAttributes = Readonly<Record<string, MessageAttributeValue>>;

export function lambdaAttributes(attributes: SdkAttributes = {}): Record<string, SqsMessageAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType = 'String', StringValue, BinaryValue }]) => [
      name,
      BinaryValue === undefined
        ? { dataType: DataType, stringValue: StringValue }
        : { dataType: DataType, binaryValue: Buffer.from(BinaryValue).toString('base64') },
    ]),
  );
}

function sdkAttributes(
  attributes: Readonly<Record<string, SqsMessageAttribute>>,
): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      {
        DataType: dataType,
        ...(stringValue !== undefined ? { StringValue: stringValue } : {}),
        ...(binaryValue !== undefined ? { BinaryValue: Buffer.from(binaryValue, 'base64') } : {}),
      },
    ]),
  );
}
