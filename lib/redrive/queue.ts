import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { isFifoArn } from '../arrive/record.ts';
import type { DeadLetter } from './dead-letter.ts';

/** A dead-letter queue. */
export interface DeadLetterQueue {
  readonly url: string;
  readonly name: string;
  readonly fifo: boolean;
  /** Looking at messages counts as receiving them; a queue with a redrive policy of its own moves them on after this many. */
  readonly maxReceiveCount: number | undefined;
  /** The name of the queue its own redrive policy moves them to. */
  readonly movesTo?: string | undefined;
}

/** How many messages SQS says a queue has; approximate, and on AWS up to a minute old. */
export interface QueueCounts {
  readonly visible: number;
  readonly inFlight: number;
}

/**
 * Finds a queue by URL or by name.
 *
 * @throws Error that names the queue, when there is none or it may not be looked at
 */
export async function findQueue(sqs: SQSClient, urlOrName: string): Promise<DeadLetterQueue> {
  try {
    return await lookUp(sqs, urlOrName);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : nameOf(cause);
    throw new Error(`the queue ${urlOrName} cannot be found: ${why}`, { cause });
  }
}

async function lookUp(sqs: SQSClient, urlOrName: string): Promise<DeadLetterQueue> {
  const url = await queueUrlOf(sqs, urlOrName);
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn', 'RedrivePolicy'] }),
  );
  const arn = Attributes.QueueArn ?? '';
  const policy = JSON.parse(Attributes.RedrivePolicy ?? '{}') as {
    maxReceiveCount?: number | string;
    deadLetterTargetArn?: string;
  };
  return {
    url,
    name: arn.split(':').at(-1) ?? url,
    fifo: isFifoArn(arn),
    maxReceiveCount: policy.maxReceiveCount === undefined ? undefined : Number(policy.maxReceiveCount),
    movesTo: policy.deadLetterTargetArn?.split(':').at(-1),
  };
}

/**
 * Finds the dead-letter queue messages are to be taken from. One that moves messages on itself is where work
 * arrives: everything in it would look dead-lettered.
 *
 * @throws Error that names the queue meant, when this one has a redrive policy of its own
 */
export async function findEmptiable(
  sqs: SQSClient,
  urlOrName: string,
  command: 'drop' | 'redrive',
): Promise<DeadLetterQueue> {
  const queue = await findQueue(sqs, urlOrName);
  const { name, maxReceiveCount, movesTo } = queue;
  if (movesTo === undefined) return queue;
  throw new Error(
    `${name} has a redrive policy of its own, to ${movesTo} after ${maxReceiveCount} receives: work arrives there, and ${command} is for dead-letter queues. Nothing was touched. Give its dead-letter queue, sqs-once dlq ${command} ${movesTo}; if ${name} is one all the same, take its redrive policy away first`,
  );
}

/** @throws Error when there is no such queue */
export async function queueUrlOf(sqs: SQSClient, urlOrName: string, account?: string): Promise<string> {
  if (URL.canParse(urlOrName)) return urlOrName;
  const { QueueUrl } = await sqs.send(
    new GetQueueUrlCommand({
      QueueName: urlOrName,
      ...(account !== undefined ? { QueueOwnerAWSAccountId: account } : {}),
    }),
  );
  if (QueueUrl === undefined) throw new Error(`SQS knows no URL of a queue ${urlOrName}`);
  return QueueUrl;
}

export async function countsOf(sqs: SQSClient, queueUrl: string): Promise<QueueCounts> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  );
  const count = (name: keyof typeof Attributes) => Number(Attributes[name] ?? 0);
  return {
    visible: count('ApproximateNumberOfMessages') + count('ApproximateNumberOfMessagesDelayed'),
    inFlight: count('ApproximateNumberOfMessagesNotVisible'),
  };
}

/**
 * Where a dead letter came from: what a person said, else what our attribute or SQS says of the message, else
 * the one queue that has this dead-letter queue.
 *
 * @throws Error that says what to do when there is no telling
 */
export function createSources(
  sqs: SQSClient,
  queue: DeadLetterQueue,
  to: string | undefined,
): (letter: DeadLetter) => Promise<string> {
  const urls = new Map<string, Promise<string>>();
  const remembered = (name: string, find: () => Promise<string>): Promise<string> => {
    const known = urls.get(name) ?? find();
    urls.set(name, known);
    return known;
  };
  return async ({ once, movedFrom }) => {
    if (to !== undefined) return to;
    const arn = once?.source ?? movedFrom;
    if (arn === undefined) return remembered('', () => onlySourceOf(sqs, queue));
    return remembered(arn, () => sourceUrl(sqs, arn));
  };
}

/**
 * The URL of the queue to go back to, by URL or by name.
 *
 * @throws Error when there is none of that name, or it is the dead-letter queue itself
 */
export async function findTarget(sqs: SQSClient, queue: DeadLetterQueue, to: string): Promise<string> {
  let url: string;
  try {
    url = await queueUrlOf(sqs, to);
  } catch (cause) {
    throw new Error(`--to is ${to}, which cannot be found (${nameOf(cause)}); give the queue to go back to`, {
      cause,
    });
  }
  if (url === queue.url)
    throw new Error('--to is the dead-letter queue itself; give the queue to go back to');
  return url;
}

async function sourceUrl(sqs: SQSClient, arn: string): Promise<string> {
  const [account, name = arn] = arn.split(':').slice(-2);
  try {
    return await queueUrlOf(sqs, name, account);
  } catch (cause) {
    throw new Error(`its source ${name} cannot be found (${nameOf(cause)}); give --to`, { cause });
  }
}

async function onlySourceOf(sqs: SQSClient, queue: DeadLetterQueue): Promise<string> {
  let sources: readonly string[];
  try {
    const answer = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: queue.url }));
    sources = answer.queueUrls ?? [];
  } catch (cause) {
    throw new Error(`the sources of ${queue.name} cannot be listed (${nameOf(cause)}); give --to`, { cause });
  }
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  throw new Error(`${queue.name} has ${sources.length} source queues and the message names none; give --to`);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
