import { instrumented } from '../../../lib/local/instrumented.ts';
import type { LocalAws } from '../../../lib/local/local-aws.ts';
import { onceEnvironment } from '../../../lib/local/once-env.ts';
import type { QueuePair } from '../../../lib/local/queues.ts';
import { type Hop, hops } from './orders.ts';

export type ClaimMode = 'first' | 'with-commit';

/** Tables and their partition keys. */
const tableKeys = {
  orders: 'orderId',
  bookings: 'bookingId',
  balances: 'merchantId',
  labels: 'parcelId',
} as const;
export type TableName = keyof typeof tableKeys | 'claims';

/** Queues and tables of one chain, empty; several stand beside each other in one AWS. */
export interface Stage {
  readonly aws: LocalAws;
  readonly queues: ReadonlyMap<Hop, QueuePair>;
  tableOf(name: TableName): string;
  /** What a deployment would put into the environment of a hop's function. */
  envOf(hop: Hop): Readonly<Record<string, string>>;
}

/** What was killed comes back after it. */
export const functionTimeoutSeconds = 4;

export async function openStage(aws: LocalAws, claim: ClaimMode): Promise<Stage> {
  const tableOf = (name: TableName) => `${claim}-${name}`;
  await aws.createClaimTable(tableOf('claims'));
  for (const [name, key] of Object.entries(tableKeys)) {
    await aws.createTable(tableOf(name as TableName), key);
  }
  const queues = new Map<Hop, QueuePair>();
  for (const hop of hops) {
    const pair = await aws.createQueuePair({
      name: `${claim}-${hop}`,
      visibilityTimeoutSeconds: functionTimeoutSeconds,
      // What our own construct gives a queue.
      maxReceiveCount: 50,
    });
    queues.set(hop, pair);
  }
  return {
    aws,
    queues,
    tableOf,
    envOf: (hop) => ({
      ...onceEnvironment(tableOf('claims'), queueOf(queues, hop)),
      SQS_ONCE_CLAIM: claim,
      ORDERS_TABLE: tableOf('orders'),
      BOOKINGS_TABLE: tableOf('bookings'),
      BALANCES_TABLE: tableOf('balances'),
      LABELS_TABLE: tableOf('labels'),
      PARCELS_QUEUE_URL: queueOf(queues, 'parcels').queueUrl,
      LABELS_QUEUE_URL: queueOf(queues, 'labels').queueUrl,
      NODE_OPTIONS: instrumented(process.env.NODE_OPTIONS),
    }),
  };
}

export function queueOf(queues: Stage['queues'], hop: Hop): QueuePair {
  const pair = queues.get(hop);
  if (pair === undefined) throw new Error(`there is no queue for ${hop}`);
  return pair;
}
