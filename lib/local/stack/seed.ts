import { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { LocalAws } from '../local-aws.ts';
import { readQueue } from '../queue.ts';
import { type Resource, referred, resourcesOf, type Template } from './template.ts';

/** A queue that was created, under its logical id. */
export interface SeededQueue {
  readonly url: string;
  readonly arn: string;
}

/** A template's queues and tables, on this machine. */
export interface SeededStack {
  readonly queues: ReadonlyMap<string, SeededQueue>;
  /** Names by logical id. */
  readonly tables: ReadonlyMap<string, string>;
}

const tableTypes = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'] as const;

/** Creates every queue and table of a template, with the settings the template gives them. */
export async function seedStack(aws: LocalAws, template: Template): Promise<SeededStack> {
  const queues = new Map<string, SeededQueue>();
  for (const queue of resourcesOf(template, 'AWS::SQS::Queue')) await seedQueue(aws, template, queue, queues);
  const tables = new Map<string, string>();
  for (const table of resourcesOf(template, ...tableTypes)) {
    await seedTable(aws, table);
    tables.set(table.id, table.id);
  }
  return { queues, tables };
}

/** The dead-letter queue first: a redrive policy names it by its ARN. */
async function seedQueue(
  aws: LocalAws,
  template: Template,
  queue: Resource,
  queues: Map<string, SeededQueue>,
): Promise<SeededQueue> {
  const done = queues.get(queue.id);
  if (done !== undefined) return done;
  const { properties } = queue;
  const policy = properties.RedrivePolicy as
    | { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown }
    | undefined;
  const target = referred(template, policy?.deadLetterTargetArn, queue.type);
  const attributes: Record<string, string> = {};
  const names = [
    'VisibilityTimeout',
    'MessageRetentionPeriod',
    'DelaySeconds',
    'FifoQueue',
    'ContentBasedDeduplication',
  ];
  for (const name of names) if (properties[name] !== undefined) attributes[name] = String(properties[name]);
  if (target !== undefined) {
    const { arn } = await seedQueue(aws, template, target, queues);
    const maxReceiveCount = Number(policy?.maxReceiveCount);
    attributes.RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount });
  }
  const QueueName = `${queue.id}${properties.FifoQueue === true ? '.fifo' : ''}`;
  const { QueueUrl: url = '' } = await aws
    .sqs()
    .send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  const seeded = { url, arn: (await readQueue(aws.sqs(), url)).arn };
  queues.set(queue.id, seeded);
  return seeded;
}

/** Keys and TTL only: indexes and streams are nothing a claim or a transaction needs. */
async function seedTable(aws: LocalAws, { id, properties }: Resource): Promise<void> {
  const keys = properties.KeySchema as { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
  const attributes = properties.AttributeDefinitions as {
    AttributeName: string;
    AttributeType: 'S' | 'N' | 'B';
  }[];
  await aws.dynamo().send(
    new CreateTableCommand({
      TableName: id,
      KeySchema: keys,
      AttributeDefinitions: attributes.filter(({ AttributeName }) =>
        keys.some((key) => key.AttributeName === AttributeName),
      ),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const ttl = properties.TimeToLiveSpecification as { AttributeName?: string; Enabled?: boolean } | undefined;
  if (ttl?.Enabled !== true || ttl.AttributeName === undefined) return;
  const TimeToLiveSpecification = { AttributeName: ttl.AttributeName, Enabled: true };
  await aws.dynamo().send(new UpdateTimeToLiveCommand({ TableName: id, TimeToLiveSpecification }));
}

/** A function's environment with what was created put in; what only AWS would know is left out and named. */
export function environmentOf(
  template: Template,
  fn: Resource,
  stack: SeededStack,
): { readonly env: Readonly<Record<string, string>>; readonly unknown: readonly string[] } {
  const { Variables = {} } = (fn.properties.Environment ?? {}) as {
    Variables?: Readonly<Record<string, unknown>>;
  };
  const env: Record<string, string> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(Variables)) {
    const text = textOf(template, value, stack);
    if (text === undefined) unknown.push(name);
    else env[name] = text;
  }
  return { env, unknown };
}

function textOf(template: Template, value: unknown, { queues, tables }: SeededStack): string | undefined {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  const attribute = (value as { 'Fn::GetAtt'?: readonly string[] } | null)?.['Fn::GetAtt']?.[1];
  const table = referred(template, value, ...tableTypes);
  if (table !== undefined && attribute === undefined) return tables.get(table.id);
  const queue = queues.get(referred(template, value, 'AWS::SQS::Queue')?.id ?? '');
  if (queue === undefined) return undefined;
  if (attribute === undefined) return queue.url;
  return attribute === 'Arn' ? queue.arn : queue.arn.split(':').at(-1);
}
