import { instrumented } from '../local/instrumented.ts';
import type { LocalAws } from '../local/local-aws.ts';
import { onceEnvironment } from '../local/once-env.ts';
import type { QueuePair } from '../local/queues.ts';
import { environmentOf, seedStack } from '../local/stack/seed.ts';
import { consumerOf, handlerOf, readTemplate, referred } from '../local/stack/template.ts';
import { refuseOverTemplate, usualTimeoutSeconds, usualVisibilitySeconds } from './local-refusals.ts';
import { readNamedFile } from './named-file.ts';

export interface LocalOptions {
  readonly handler?: string;
  readonly queue?: string;
  readonly template?: string;
  readonly consumer?: string;
  readonly fifo: boolean;
  readonly group?: string;
  readonly workers: number;
  readonly timeout?: number;
  readonly batchSize?: number;
  readonly visibility?: number;
  readonly table: string;
  readonly moreTable?: readonly string[];
  readonly moreQueue?: readonly string[];
  readonly dlq: number;
  readonly duplicate?: number;
  readonly send?: string;
  readonly watch?: true;
}

/** What a consumer runs with. */
export interface LocalWorld {
  readonly handler: string;
  readonly pair: QueuePair;
  readonly tableName: string;
  readonly timeoutSeconds: number;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly reportBatchItemFailures: boolean;
  readonly maxReceiveCount: number;
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the function that only AWS would know. */
  readonly unknown: readonly string[];
}

/** Queues and tables, made from options or from a synthesized stack. */
export async function localWorld(aws: LocalAws, options: LocalOptions): Promise<LocalWorld> {
  const world =
    options.template === undefined
      ? await worldOfOptions(aws, options)
      : await worldOfTemplate(aws, options.template, options);
  return { ...world, env: { ...world.env, ...(await furnish(aws, options)) } };
}

/** What the handler reaches besides: tables under their names, queues under variables. */
async function furnish(
  aws: LocalAws,
  { moreTable = [], moreQueue = [] }: LocalOptions,
): Promise<Readonly<Record<string, string>>> {
  for (const table of moreTable) {
    const [, name = '', key = ''] = /^([\w.-]{3,255}):([\w.-]+)$/.exec(table) ?? [];
    if (name === '')
      throw new Error(`--more-table is "${table}"; give its name, a colon and its partition key`);
    await aws.createTable(name, key);
  }
  const env: Record<string, string> = {};
  for (const queue of moreQueue) {
    const [, name = '', fifo, variable = ''] = /^([\w-]{1,71})(\.fifo)?:(\w+)$/.exec(queue) ?? [];
    if (name === '') throw new Error(`--more-queue is "${queue}"; give its name, a colon and a variable`);
    env[variable] = (await aws.createQueuePair({ name, fifo: fifo !== undefined })).queueUrl;
  }
  return env;
}

async function worldOfOptions(aws: LocalAws, options: LocalOptions): Promise<LocalWorld> {
  const {
    handler,
    queue: name,
    fifo,
    dlq: maxReceiveCount,
    timeout: timeoutSeconds = usualTimeoutSeconds,
    batchSize = 10,
  } = options;
  if (handler === undefined || name === undefined) {
    throw new Error('give --handler and --queue, or --template with a synthesized stack');
  }
  const visibilityTimeoutSeconds = options.visibility ?? usualVisibilitySeconds(timeoutSeconds);
  const tableName = await aws.createClaimTable(options.table);
  const pair = await aws.createQueuePair({
    name,
    ...(fifo ? { fifo } : {}),
    maxReceiveCount,
    visibilityTimeoutSeconds,
  });
  const env = { ...onceEnvironment(tableName, pair), NODE_OPTIONS: instrumented(process.env.NODE_OPTIONS) };
  const plain = { batchingWindowSeconds: 0, reportBatchItemFailures: true, unknown: [] };
  return { handler, pair, tableName, timeoutSeconds, batchSize, maxReceiveCount, env, ...plain };
}

async function worldOfTemplate(aws: LocalAws, file: string, options: LocalOptions): Promise<LocalWorld> {
  const wanted = 'a synthesized stack, such as cdk.out/Shop.template.json';
  const template = readTemplate(file, readNamedFile('--template', file, wanted));
  const { mapping, queue, fn } = consumerOf(template, options.consumer);
  const batchingWindowSeconds = Number(mapping.properties.MaximumBatchingWindowInSeconds ?? 0);
  refuseOverTemplate(options, {
    visibilityTimeoutSeconds: Number(queue.properties.VisibilityTimeout ?? 30),
    mostInBatch: batchingWindowSeconds >= 1 && queue.properties.FifoQueue !== true ? 10_000 : 10,
  });
  const stack = await seedStack(aws, template);
  const policy = queue.properties.RedrivePolicy as
    | { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown }
    | undefined;
  const target = referred(template, policy?.deadLetterTargetArn, queue.type);
  const source = stack.queues.get(queue.id);
  const deadLetters = stack.queues.get(target?.id ?? '');
  if (source === undefined || deadLetters === undefined) {
    throw new Error(`the queue ${queue.id} has no dead-letter queue in the template; give it one`);
  }
  const { env, unknown } = environmentOf(template, fn, stack);
  return {
    handler: options.handler ?? handlerOf(template, fn),
    pair: {
      queueUrl: source.url,
      queueArn: source.arn,
      deadLetterQueueUrl: deadLetters.url,
      deadLetterQueueArn: deadLetters.arn,
    },
    tableName: env.SQS_ONCE_TABLE ?? 'none: SQS_ONCE_TABLE is not set',
    timeoutSeconds: options.timeout ?? Number(fn.properties.Timeout ?? 3),
    batchSize: options.batchSize ?? Number(mapping.properties.BatchSize ?? 10),
    batchingWindowSeconds,
    reportBatchItemFailures: ((mapping.properties.FunctionResponseTypes ?? []) as string[]).includes(
      'ReportBatchItemFailures',
    ),
    maxReceiveCount: Number(policy?.maxReceiveCount),
    env: { ...env, NODE_OPTIONS: instrumented(env.NODE_OPTIONS ?? process.env.NODE_OPTIONS) },
    unknown,
  };
}
