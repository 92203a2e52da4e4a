import { join } from 'node:path';
import { type Gateway, startGateway } from '../gateway.ts';
import { instrumented } from '../instrumented.ts';
import { type LocalAws, startLocalAws } from '../local-aws.ts';
import { onceEnvironment } from '../once-env.ts';
import type { QueuePair } from '../queues.ts';
import { createEnds } from './ends.ts';
import { type Broken, type LossyProxy, startLossyProxy } from './lossy-proxy.ts';
import type { ChaosOptions } from './options.ts';
import { closedMerchant } from './order.ts';

export const tables = { claims: 'claims', captures: 'captures', balances: 'balances' } as const;

/** Everything around the workers: queues, tables, a gateway, and a network that can fail. */
export interface World {
  readonly aws: LocalAws;
  readonly gateway: Gateway;
  readonly proxy: LossyProxy;
  readonly queues: QueuePair;
  /** Where the built-in consumer's follow-ups go. */
  readonly receiptsUrl: string;
  /** What the workers are started with: AWS behind the proxy, the instrument loaded first. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** SQS must not move messages away: here they are delivered more often than in all their life elsewhere. */
const maxReceiveCount = 1_000;
const gatewayLatencyMillis = 20;

export async function openWorld(
  options: ChaosOptions,
  folder: string,
  onBroken: (broken: Broken) => void,
): Promise<World> {
  const ends = createEnds();
  try {
    const aws = await startLocalAws();
    ends.add(() => aws.stop());
    const gateway = await startGateway({
      latencyMillis: gatewayLatencyMillis,
      closedMerchants: [closedMerchant],
    });
    ends.add(() => gateway.stop());
    const proxy = await startLossyProxy(aws, onBroken);
    ends.add(() => proxy.stop());
    const { queues, receiptsUrl } = await furnish(aws, options);
    // A client whose code states no endpoint sends to the host in the URL, which would be past the mischief.
    const throughProxy = (url: string) => new URL(new URL(url).pathname, proxy.endpoints.sqs).href;
    return {
      aws,
      gateway,
      proxy,
      queues,
      receiptsUrl,
      env: {
        ...onceEnvironment(tables.claims, {
          ...queues,
          queueUrl: throughProxy(queues.queueUrl),
          deadLetterQueueUrl: throughProxy(queues.deadLetterQueueUrl),
        }),
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoints.dynamo,
        AWS_ENDPOINT_URL_SQS: proxy.endpoints.sqs,
        GATEWAY_URL: gateway.url,
        CAPTURES_TABLE: tables.captures,
        BALANCES_TABLE: tables.balances,
        RECEIPTS_QUEUE_URL: throughProxy(receiptsUrl),
        NODE_OPTIONS: instrumented(process.env.NODE_OPTIONS),
        // Workers are started hundreds of times; what one has compiled the next one only loads.
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
      },
      stop: () => ends.run(),
    };
  } catch (error) {
    await ends.run();
    throw error;
  }
}

async function furnish(aws: LocalAws, options: ChaosOptions) {
  await aws.createClaimTable(tables.claims);
  await aws.createTable(tables.captures, 'captureId');
  await aws.createTable(tables.balances, 'merchantId');
  for (const table of options.tables) {
    const [, name = '', key = ''] = /^([\w.-]{3,255}):([\w.-]+)$/.exec(table) ?? [];
    if (name === '') throw new Error(`--table is "${table}"; give its name, a colon and its partition key`);
    await aws.createTable(name, key);
  }
  const queues = await aws.createQueuePair({
    name: 'chaos',
    fifo: options.fifo,
    visibilityTimeoutSeconds: options.timeoutSeconds + 1,
    maxReceiveCount,
  });
  const { queueUrl } = await aws.createQueuePair({ name: 'receipts', maxReceiveCount });
  return { queues, receiptsUrl: queueUrl };
}
