import { type Gateway, startGateway } from '../gateway.ts';
import { type LocalAws, startLocalAws } from '../local-aws.ts';
import { sendAll } from '../queue.ts';
import type { QueuePair } from '../queues.ts';
import { closedMerchant } from './plan.ts';

/** The three consumers, in the order of the chain. */
export const consumers = ['payments', 'payment-events', 'receipts'] as const;
export type ConsumerName = (typeof consumers)[number];

export const tables = {
  claims: 'claims',
  captures: 'captures',
  balances: 'balances',
  payments: 'payments',
  receipts: 'receipts',
} as const;

/** Everything the handlers meet: queues, tables and the gateway, empty. */
export interface Stage {
  readonly aws: LocalAws;
  readonly gateway: Gateway;
  readonly queues: Readonly<Record<ConsumerName, QueuePair>>;
  /** What a deployment would put into the functions' environment. */
  readonly env: Readonly<Record<string, string>>;
  send(queue: ConsumerName, bodies: readonly object[]): Promise<void>;
  stop(): Promise<void>;
}

/** Short, so that a killed worker's messages are free soon: lease and skew end when the message comes back. */
export const functionTimeoutSeconds = 5;
const visibilityTimeoutSeconds = functionTimeoutSeconds + 2;
const maxReceiveCount = 50;

export async function openStage(onCharge: (orderId: string) => void): Promise<Stage> {
  const [aws, gateway] = await Promise.allSettled([
    startLocalAws(),
    startGateway({ closedMerchants: [closedMerchant], onCharge }),
  ]);
  if (aws.status === 'fulfilled' && gateway.status === 'fulfilled') return furnish(aws.value, gateway.value);
  for (const started of [aws, gateway]) if (started.status === 'fulfilled') await started.value.stop();
  throw aws.status === 'rejected' ? aws.reason : (gateway as PromiseRejectedResult).reason;
}

async function furnish(aws: LocalAws, gateway: Gateway): Promise<Stage> {
  await aws.createClaimTable(tables.claims);
  await aws.createTable(tables.captures, 'captureId');
  await aws.createTable(tables.balances, 'merchantId');
  await aws.createTable(tables.payments, 'orderId');
  await aws.createTable(tables.receipts, 'orderId');
  const pairOf = (name: ConsumerName) =>
    aws.createQueuePair({ name, visibilityTimeoutSeconds, maxReceiveCount });
  const queues = {
    payments: await pairOf('payments'),
    'payment-events': await pairOf('payment-events'),
    receipts: await pairOf('receipts'),
  };
  return {
    aws,
    gateway,
    queues,
    env: {
      GATEWAY_URL: gateway.url,
      CAPTURES_TABLE: tables.captures,
      BALANCES_TABLE: tables.balances,
      PAYMENTS_TABLE: tables.payments,
      RECEIPTS_TABLE: tables.receipts,
      PAYMENT_EVENTS_QUEUE_URL: queues['payment-events'].queueUrl,
      RECEIPTS_QUEUE_URL: queues.receipts.queueUrl,
    },
    async send(queue, bodies) {
      const entries = bodies.map((body) => ({ MessageBody: JSON.stringify(body) }));
      await sendAll(aws.sqs(), queues[queue].queueUrl, entries);
    },
    async stop() {
      await Promise.all([aws.stop(), gateway.stop()]);
    },
  };
}
