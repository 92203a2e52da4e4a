import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Delivery } from './events.ts';

/** What SQS says of a queue. */
export interface QueueState {
  readonly arn: string;
  readonly visibilityTimeoutSeconds: number;
  /** Messages waiting, delayed or with a consumer. */
  readonly messages: number;
  /** Of these, the ones that could be received now. */
  readonly visible: number;
}

export async function readQueue(sqs: SQSClient, queueUrl: string): Promise<QueueState> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  if (Attributes.QueueArn === undefined) throw new Error(`SQS states no ARN for the queue ${queueUrl}`);
  const visible = Number(Attributes.ApproximateNumberOfMessages);
  return {
    arn: Attributes.QueueArn,
    visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout),
    messages:
      visible +
      Number(Attributes.ApproximateNumberOfMessagesNotVisible) +
      Number(Attributes.ApproximateNumberOfMessagesDelayed),
    visible,
  };
}

/** Entries in one batch call to SQS. */
const batchLimit = 10;

/**
 * Deletes messages from the queue, which is how a consumer acknowledges them.
 * @throws Error when SQS refuses some of them; they come again.
 */
export async function acknowledge(
  sqs: SQSClient,
  queueUrl: string,
  deliveries: readonly Delivery[],
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += batchLimit) {
    const entries = deliveries.slice(start, start + batchLimit);
    const { Failed = [] } = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: entries.map(({ record }, index) => ({
          Id: String(index),
          ReceiptHandle: record.receiptHandle,
        })),
      }),
    );
    if (Failed.length > 0)
      throw new Error(`SQS did not delete ${Failed.length} messages: ${Failed[0]?.Code}`);
  }
}

/**
 * Sends messages in as few calls as SQS allows, in order.
 * @returns their message ids, in order
 * @throws Error when SQS does not take one
 */
export async function sendAll(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly Omit<SendMessageBatchRequestEntry, 'Id'>[],
): Promise<string[]> {
  const messageIds: string[] = [];
  for (let start = 0; start < messages.length; start += batchLimit) {
    const batch = messages.slice(start, start + batchLimit);
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: batch.map((message, index) => ({ Id: String(index), ...message })),
      }),
    );
    if (Failed.length > 0) throw new Error(`SQS did not take ${Failed.length} messages: ${Failed[0]?.Code}`);
    for (const { Id, MessageId = '' } of Successful) messageIds[start + Number(Id)] = MessageId;
  }
  return messageIds;
}
