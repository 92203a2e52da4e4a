import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A minimal handler of a side, as a user would write it. */
const programs = {
  'sqs-once': `
    import { consumeOnce } from './lib/index.ts';
    export const handler = consumeOnce({ scope: 'bench', key: ({ body }) => body.id }, async ({ body }) => ({ id: body.id }));`,
  'sqs-once, Middy': `
    import middy from '@middy/core';
    import { idempotentConsumer } from './lib/index.ts';
    const once = idempotentConsumer({ scope: 'bench', key: ({ body }) => body.id });
    export const handler = middy().use(once).handler(once.eachMessage(async ({ body }) => ({ id: body.id })));`,
  Powertools: `
    import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
    import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
    import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
    const processor = new BatchProcessor(EventType.SQS);
    const once = makeIdempotent(async (body) => ({ id: body.id }), {
      persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'claims' }),
      config: new IdempotencyConfig({ eventKeyJmesPath: 'id' }),
    });
    export const handler = async (event, context) =>
      processPartialResponse(event, (record) => once(JSON.parse(record.body)), processor, { context });`,
  'Powertools, Middy': `
    import middy from '@middy/core';
    import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
    import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
    import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
    const processor = new BatchProcessor(EventType.SQS);
    const once = makeIdempotent(async (body) => ({ id: body.id }), {
      persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'claims' }),
      config: new IdempotencyConfig({ eventKeyJmesPath: 'id' }),
    });
    export const handler = middy(async (event, context) =>
      processPartialResponse(event, (record) => once(JSON.parse(record.body)), processor, { context }));`,
  'bare SDK, DynamoDB': `
    import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
    const client = new DynamoDBClient({});
    export const handler = async (Key) => {
      for (const Command of [GetItemCommand, PutItemCommand, TransactWriteItemsCommand, UpdateItemCommand]) await client.send(new Command(Key));
    };`,
  'bare SDK, DynamoDB and SQS': `
    import { DynamoDBClient, GetItemCommand, PutItemCommand, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
    import { ChangeMessageVisibilityBatchCommand, GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
    const client = new DynamoDBClient({});
    const sqs = new SQSClient({});
    export const handler = async (Key) => {
      for (const Command of [GetItemCommand, PutItemCommand, TransactWriteItemsCommand, UpdateItemCommand]) await client.send(new Command(Key));
      for (const Command of [ChangeMessageVisibilityBatchCommand, GetQueueAttributesCommand, GetQueueUrlCommand, SendMessageCommand]) await sqs.send(new Command(Key));
    };`,
} as const;

export type Program = keyof typeof programs;

export interface Bundle {
  readonly bytes: number;
  readonly text: string;
  /** Bytes in the bundle by file. */
  readonly parts: ReadonlyMap<string, number>;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A minified bundle as esbuild makes it for Lambda.
 *
 * @param sdk `outside`: an ES module that leaves the SDK to the runtime; `inside`: CommonJS with everything in it
 */
export async function bundleOf(program: Program, sdk: 'outside' | 'inside'): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: programs[program], resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node22',
    outfile: 'handler.js',
    absWorkingDir: root,
    logLevel: 'error',
    // The SDK's ES modules, from which esbuild drops what is not used.
    mainFields: ['module', 'main'],
    ...(sdk === 'outside' ? { format: 'esm', external: ['@aws-sdk/*'] } : { format: 'cjs' }),
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (file === undefined || output === undefined) throw new Error(`esbuild made nothing of ${program}`);
  return {
    bytes: output.bytes,
    text: file.text,
    parts: new Map(Object.entries(output.inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput])),
  };
}
