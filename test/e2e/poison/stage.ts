import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { leastMaxReceiveCount } from '../../../infra/checks/sums.ts';
import type { RunnerEvent } from '../../../lib/local/events.ts';
import { type LocalAws, startLocalAws } from '../../../lib/local/local-aws.ts';
import { onceEnvironment } from '../../../lib/local/once-env.ts';
import type { QueuePair } from '../../../lib/local/queues.ts';
import { type Runner, startRunner } from '../../../lib/local/runner.ts';
import type { RunnerOptions } from '../../../lib/local/runner-options.ts';
import { claimReader } from '../../../lib/redrive/claims.ts';
import { look } from '../../../lib/redrive/look.ts';
import { findQueue } from '../../../lib/redrive/queue.ts';
import { itemToRow } from '../../../lib/store/row-codec.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import type { Order } from './handler.ts';

/** A queue, a claim table, and workers that run the handler. */
export interface Stage extends QueuePair {
  readonly aws: LocalAws;
  readonly claimTable: string;
  /** Runs started, by order, as the handlers tell. */
  readonly starts: ReadonlyMap<string, number>;
  open(options?: Partial<RunnerOptions>): Promise<Runner>;
  send(orders: readonly Order[]): Promise<void>;
  rows(): Promise<readonly ClaimRow[]>;
  /** How often each order was captured. */
  captures(): Promise<ReadonlyMap<string, number>>;
  /** Keys of what lies in the dead-letter queue, one for each message. */
  deadLetterKeys(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const capturesTable = 'captures';
/** The least AWS lets it be: the function's timeout. What was killed comes back after it. */
const timeoutSeconds = 4;

export async function openStage(
  maxAttempts: number,
  onEvent: (event: RunnerEvent) => void = () => {},
): Promise<Stage> {
  const aws = await startLocalAws();
  const claimTable = await aws.createClaimTable();
  await aws.createTable(capturesTable, 'orderId');
  const pair = await aws.createQueuePair({
    name: 'orders',
    visibilityTimeoutSeconds: timeoutSeconds,
    // What our own construct gives a queue.
    maxReceiveCount: leastMaxReceiveCount({ fifo: false, maxAttempts, batchSize: 10 }),
  });
  const starts = new Map<string, number>();
  return {
    ...pair,
    aws,
    claimTable,
    starts,
    open: ({ env, ...options } = {}) =>
      startRunner({
        aws,
        queueUrl: pair.queueUrl,
        handler: 'test/e2e/poison/handler.handler',
        timeoutSeconds,
        env: {
          ...onceEnvironment(claimTable, pair),
          SQS_ONCE_MAX_ATTEMPTS: String(maxAttempts),
          CAPTURES_TABLE: capturesTable,
          ...env,
        },
        onEvent(event) {
          if (event.type === 'step') {
            const orderId = String(event.step.started);
            starts.set(orderId, (starts.get(orderId) ?? 0) + 1);
          }
          onEvent(event);
        },
        ...options,
      }),
    send: (orders) => sendAll(aws, pair.queueUrl, orders),
    rows: async () => (await scan(aws, claimTable)).map((item) => itemToRow(item)),
    async captures() {
      const items = (await scan(aws, capturesTable)).map((item) => unmarshall(item));
      return new Map(items.map(({ orderId, captures }) => [String(orderId), Number(captures)]));
    },
    deadLetterKeys: () => deadLetterKeys(aws, pair.deadLetterQueueUrl),
    stop: () => aws.stop(),
  };
}

async function sendAll(aws: LocalAws, QueueUrl: string, orders: readonly Order[]): Promise<void> {
  for (let start = 0; start < orders.length; start += 10) {
    const Entries = orders
      .slice(start, start + 10)
      .map((order, index) => ({ Id: String(index), MessageBody: JSON.stringify(order) }));
    await aws.sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
}

type Item = Record<string, AttributeValue>;

async function scan(aws: LocalAws, TableName: string): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await aws.dynamo().send(new ScanCommand({ TableName, ExclusiveStartKey }));
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

/** Looks, and gives back: visible again at once. */
async function deadLetterKeys(aws: LocalAws, queueUrl: string): Promise<readonly string[]> {
  const queue = await findQueue(aws.sqs(), queueUrl);
  const readClaim = claimReader(undefined);
  const { found, pass } = await look({ sqs: aws.sqs(), queue, readClaim, selection: {}, limit: 10_000 });
  await pass.end();
  return found.map(({ letter }) => letter.once?.key ?? `no key: ${letter.messageId}`);
}
