import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { expectWithin } from '../expect-within.ts';
import { readQueue } from './queue.ts';

/** Options of {@link createQueuePair}. */
export interface QueuePairOptions {
  /** The queue's name, which leaves room for `-dlq`: 1 to 76 letters, digits, - and _. A FIFO queue's ending is added when it is missing. */
  readonly name: string;
  /** @default whether the name ends in `.fifo` */
  readonly fifo?: boolean;
  /**
   * How long a received message stays hidden, 0 to 43,200 seconds.
   * @default 30
   */
  readonly visibilityTimeoutSeconds?: number;
  /**
   * Deliveries before SQS moves a message to the dead-letter queue, 1 to 1,000.
   * @default 5
   */
  readonly maxReceiveCount?: number;
}

/** A queue and its dead-letter queue. */
export interface QueuePair {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly deadLetterQueueUrl: string;
  readonly deadLetterQueueArn: string;
}

/** The longest SQS keeps a message. */
const longestRetentionSeconds = 1_209_600;

export async function createQueuePair(client: SQSClient, options: QueuePairOptions): Promise<QueuePair> {
  const { visibilityTimeoutSeconds = 30, maxReceiveCount = 5 } = options;
  const { fifo = options.name.endsWith('.fifo') } = options;
  const name = options.name.replace(/\.fifo$/, '');
  const ending = fifo ? '.fifo' : '';
  refuseWhatSqsRefuses(name, ending, maxReceiveCount);
  const shared: Record<string, string> = fifo ? { FifoQueue: 'true', ContentBasedDeduplication: 'true' } : {};
  const deadLetters = await createQueue(client, `${name}-dlq${ending}`, {
    ...shared,
    MessageRetentionPeriod: String(longestRetentionSeconds),
  });
  const queue = await createQueue(client, `${name}${ending}`, {
    ...shared,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount }),
  });
  return {
    queueUrl: queue.url,
    queueArn: queue.arn,
    deadLetterQueueUrl: deadLetters.url,
    deadLetterQueueArn: deadLetters.arn,
  };
}

/** The emulator takes any. */
function refuseWhatSqsRefuses(name: string, ending: string, maxReceiveCount: number): void {
  const longest = 80 - '-dlq'.length - ending.length;
  if (!/^[\w-]+$/.test(name) || name.length > longest) {
    throw new TypeError(`the queue's name is "${name}"; give 1 to ${longest} letters, digits, - and _`);
  }
  expectWithin('maxReceiveCount', maxReceiveCount, 1, 1_000);
}

async function createQueue(
  client: SQSClient,
  name: string,
  attributes: Record<string, string>,
): Promise<{ url: string; arn: string }> {
  const { QueueUrl: url } = await client.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  );
  if (url === undefined) throw new Error(`SQS created the queue ${name} without a URL`);
  const { arn } = await readQueue(client, url);
  return { url, arn };
}
