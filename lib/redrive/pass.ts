import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type DeadLetter, readDeadLetter } from './dead-letter.ts';
import { countsOf, type DeadLetterQueue } from './queue.ts';

/**
 * One pass over a dead-letter queue. What was received is held, invisible to others, so that it does not come
 * up twice; what was not removed is given back at the end. A process killed in between leaves its messages to
 * their visibility timeout: they are back after `holdSeconds`.
 */
export interface Pass {
  /** Messages not seen in this pass before; none when the queue has no more to give. */
  next(): Promise<readonly DeadLetter[]>;
  /** Takes a message off the queue for good. */
  remove(letter: DeadLetter): Promise<void>;
  /** Gives back what is held, visible at once. Answers how many messages the queue may have that were not seen. */
  end(): Promise<number>;
}

export interface PassOptions {
  /** How long a received message stays invisible. */
  readonly holdSeconds: number;
  /** Messages received at a time, 1 to 10. */
  readonly batchSize?: number;
  /**
   * How long to wait for messages that others hold, such as an earlier run that was killed.
   * @default 0
   */
  readonly patienceMillis?: number;
  /** Ends the pass: nothing more is received. */
  readonly signal?: AbortSignal;
}

const longestBatch = 10;
/** A long poll asks all of SQS's servers; a short one may miss messages. */
const waitSeconds = 1;
/** Receives in a row without a message, or without a new one, after which a pass is over. */
const mostEmptyReceives = 2;
const mostStaleReceives = 50;

export function startPass(sqs: SQSClient, queue: DeadLetterQueue, options: PassOptions): Pass {
  const { holdSeconds, batchSize = longestBatch, patienceMillis = 0, signal } = options;
  const held = new Map<string, string>();
  const removed = new Set<string>();

  async function receive(): Promise<readonly DeadLetter[]> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queue.url,
        MaxNumberOfMessages: batchSize,
        VisibilityTimeout: holdSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    const nowMillis = Date.now();
    return Messages.map((message) => readDeadLetter(message, nowMillis));
  }

  /** Messages that SQS counts and this pass does not hold. */
  async function others(): Promise<{ readonly visible: number; readonly inFlight: number }> {
    const { visible, inFlight } = await countsOf(sqs, queue.url);
    const unheld = Math.max(0, visible + inFlight - held.size);
    return { visible: Math.min(visible, unheld), inFlight: Math.max(0, inFlight - held.size) };
  }

  async function mayGoOn(emptyReceives: number, waitedSince: number): Promise<boolean> {
    if (signal?.aborted) return false;
    if (emptyReceives === 0) return true;
    const { visible, inFlight } = await others();
    if (emptyReceives < mostEmptyReceives) return visible + inFlight > 0;
    return inFlight > 0 && performance.now() - waitedSince < patienceMillis;
  }

  return {
    async next() {
      const waitedSince = performance.now();
      let empty = 0;
      for (let stale = 0; stale < mostStaleReceives && (await mayGoOn(empty, waitedSince)); ) {
        const letters = await receive();
        const fresh = letters.filter(({ messageId }) => !held.has(messageId) && !removed.has(messageId));
        for (const { messageId, receiptHandle } of letters) held.set(messageId, receiptHandle);
        if (fresh.length > 0) return fresh;
        if (letters.length === 0) empty += 1;
        else stale += 1;
      }
      return [];
    },
    async remove({ messageId }) {
      const ReceiptHandle = held.get(messageId);
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue.url, ReceiptHandle }));
      held.delete(messageId);
      removed.add(messageId);
    },
    async end() {
      try {
        const { visible, inFlight } = await others();
        return visible + inFlight;
      } finally {
        await giveBack(sqs, queue.url, [...held.values()]);
      }
    },
  };
}

/** A receipt that is out of date is refused, and its message is visible already. */
async function giveBack(sqs: SQSClient, queueUrl: string, receipts: readonly string[]): Promise<void> {
  for (let start = 0; start < receipts.length; start += longestBatch) {
    const Entries = receipts.slice(start, start + longestBatch).map((ReceiptHandle, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}
