import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsMessageAttribute } from '../../../lib/arrive/record.ts';
import type { Sending } from './letter.ts';
import { callOver } from './network.ts';
import type { Process } from './process.ts';
import type { Queue } from './queue.ts';
import { awsError } from './tables.ts';
import type { World } from './world.ts';

const patienceMillis = 60_000;
/** The engine gives up on a lookup after 2 s of true time, which a world does not have; its network does it. */
const lookupPatienceMillis = 2_000;

/** SQS as a process reaches it. */
export function sqsOf(world: World, process: Process): Pick<SQSClient, 'send'> {
  const send = (command: object, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    const isLookup = command instanceof GetQueueUrlCommand || command instanceof GetQueueAttributesCommand;
    if (!process.isAlive) return new Promise(() => {});
    issued(world, process, command);
    return callOver(world, process, {
      name: command.constructor.name.replace('Command', ''),
      land: () => landed(world, process, command),
      signal: isLookup ? undefined : abortSignal,
      patienceMillis: isLookup ? lookupPatienceMillis : patienceMillis,
      refusals: { throttled: () => awsError('RequestThrottled') },
    });
  };
  return { send } as Pick<SQSClient, 'send'>;
}

/** The laws judge what an attempt sends at the moment it decides to. */
function issued(world: World, process: Process, command: object): void {
  if (command instanceof SendMessageCommand) {
    world.clerk.parkingSent(process, sendingOf(command.input));
  } else if (command instanceof SendMessageBatchCommand) {
    for (const entry of command.input.Entries ?? []) world.clerk.followUpSent(process, sendingOf(entry));
  } else if (command instanceof ChangeMessageVisibilityBatchCommand) {
    const { QueueUrl, Entries = [] } = command.input;
    for (const { ReceiptHandle = '', VisibilityTimeout = Number.NaN } of Entries) {
      const messageId = queueAt(world, QueueUrl).messageOf(ReceiptHandle) ?? '';
      world.clerk.visibilityAsked(process, messageId, VisibilityTimeout);
    }
  }
}

function landed(world: World, process: Process, command: object): unknown {
  if (command instanceof ChangeMessageVisibilityBatchCommand) return visibilityChanged(world, command);
  if (command instanceof SendMessageCommand) {
    const sending = sendingOf(command.input);
    const { id } = queueAt(world, command.input.QueueUrl).send(sending);
    world.clerk.parkingAccepted(process, sending, id);
    return { MessageId: id };
  }
  if (command instanceof SendMessageBatchCommand) return batchSent(world, process, command);
  if (command instanceof GetQueueUrlCommand) {
    return { QueueUrl: world.queues.find(({ name }) => name === command.input.QueueName)?.url };
  }
  if (command instanceof GetQueueAttributesCommand) {
    const { deadLetters } = queueAt(world, command.input.QueueUrl);
    const policy = deadLetters && {
      deadLetterTargetArn: deadLetters.queue.arn,
      maxReceiveCount: deadLetters.maxReceiveCount,
    };
    return { Attributes: policy === undefined ? {} : { RedrivePolicy: JSON.stringify(policy) } };
  }
  throw new Error(`the world's SQS knows no ${command.constructor.name}`);
}

function visibilityChanged(world: World, { input }: ChangeMessageVisibilityBatchCommand) {
  const queue = queueAt(world, input.QueueUrl);
  const Successful: { Id: string }[] = [];
  const Failed: { Id: string; Code: string; SenderFault: boolean }[] = [];
  for (const { Id = '', ReceiptHandle = '', VisibilityTimeout = 0 } of input.Entries ?? []) {
    if (!Number.isInteger(VisibilityTimeout)) throw new Error(`VisibilityTimeout is ${VisibilityTimeout}`);
    if (queue.changeVisibility(ReceiptHandle, VisibilityTimeout)) Successful.push({ Id });
    else Failed.push({ Id, Code: 'MessageNotInflight', SenderFault: true });
  }
  return { Successful, Failed };
}

/** Entries of one call succeed and fail by themselves. */
function batchSent(world: World, process: Process, { input }: SendMessageBatchCommand) {
  const queue = queueAt(world, input.QueueUrl);
  const Successful: { Id: string; MessageId: string }[] = [];
  const Failed: { Id: string; Code: string; SenderFault: boolean }[] = [];
  for (const { Id = '', ...entry } of input.Entries ?? []) {
    if (world.faults.strikes(world.plan.rates.throttled)) {
      Failed.push({ Id, Code: 'RequestThrottled', SenderFault: false });
      continue;
    }
    const sending = sendingOf(entry);
    const { id } = queue.send(sending);
    world.clerk.followUpAccepted(process, sending);
    Successful.push({ Id, MessageId: id });
  }
  return { Successful, Failed };
}

function queueAt(world: World, url: string | undefined): Queue {
  const queue = world.queues.find((known) => known.url === url);
  if (queue === undefined) throw awsError('QueueDoesNotExist');
  return queue;
}

interface SdkMessage {
  readonly MessageBody?: string | undefined;
  readonly MessageAttributes?: Record<string, MessageAttributeValue> | undefined;
  readonly MessageGroupId?: string | undefined;
  readonly MessageDeduplicationId?: string | undefined;
}

/** What is sent, in the form in which Lambda will hand it out. */
export function sendingOf(message: SdkMessage): Sending {
  return {
    body: message.MessageBody ?? '',
    attributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]),
    ),
    groupId: message.MessageGroupId,
    deduplicationId: message.MessageDeduplicationId,
  };
}

function attributeOf({ DataType = 'String', StringValue }: MessageAttributeValue): SqsMessageAttribute {
  return { dataType: DataType, stringValue: StringValue };
}
