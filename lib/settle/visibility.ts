import {
  type BatchResultErrorEntry,
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandOutput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { warnOnce } from '../observe/warn-once.ts';
import { longestReturnMillis } from './backoff.ts';

/** A returned message and when it should be visible again. */
export interface Return {
  readonly receiptHandle: string;
  readonly visibleInMillis: number;
}

const entriesPerCall = 10;

/** Calls in the air at a time. An event may return thousands of messages. */
const callsAtATime = 10;

/**
 * Sets when returned messages come back, on the receipt they came with; nothing is ever sent again. A refusal
 * is harmless: the message then waits for the queue's own visibility timeout.
 */
export async function returnMessages(
  sqs: Pick<SQSClient, 'send'>,
  queueUrl: string,
  returns: readonly Return[],
  signal: AbortSignal,
): Promise<void> {
  for (const wave of chunksOf(chunksOf(returns, entriesPerCall), callsAtATime)) {
    await Promise.all(wave.map((batch) => returnBatch(sqs, queueUrl, batch, signal)));
  }
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

async function returnBatch(
  sqs: Pick<SQSClient, 'send'>,
  queueUrl: string,
  returns: readonly Return[],
  abortSignal: AbortSignal,
): Promise<void> {
  try {
    const answer: ChangeMessageVisibilityBatchCommandOutput = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queueUrl,
        Entries: returns.map(({ receiptHandle, visibleInMillis }, index) => ({
          Id: String(index),
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: Math.ceil(Math.min(Math.max(0, visibleInMillis), longestReturnMillis) / 1_000),
        })),
      }),
      { abortSignal },
    );
    const [refused] = answer?.Failed ?? [];
    if (refused !== undefined) tell(refused);
  } catch (error) {
    // Out of time is no refusal: the invocation is over, and that is told elsewhere.
    if (!abortSignal.aborted) tell({ Code: error instanceof Error ? error.name : undefined });
  }
}

function tell(refusal: Pick<BatchResultErrorEntry, 'Code'>): void {
  warnOnce(
    'visibility',
    `ChangeMessageVisibility was refused (${refusal.Code ?? 'unknown'}); such messages come back after the queue's visibility timeout`,
  );
}
