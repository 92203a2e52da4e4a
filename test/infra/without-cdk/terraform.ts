import { createRequire } from 'node:module';
import { rightsOf, unsaidRetentionSeconds, type Wiring } from './wiring.ts';

// Required, not imported: its types bring the browser's along, and then `window` would compile in all of this project.
const { parse } = createRequire(import.meta.url)('@cdktn/hcl2json') as {
  readonly parse: (name: string, hcl: string) => Promise<Block>;
};

// biome-ignore lint/suspicious/noExplicitAny: a configuration is as deep as the provider has words; what is read is compared at once.
type Block = any;

const attributes: Readonly<Record<string, string>> = { arn: 'Arn', url: 'Ref' };

/** `${aws_sqs_queue.payments.arn}` is `queue.Arn`. A table is known to the SDK by its name, a queue by its URL. */
function namesIn(queues: Readonly<Record<string, readonly Block[]>>): (value: string) => string {
  return (value) => {
    const [, type, id = '', attribute = ''] = /^(?:\$\{)?(\w+)\.(\w+)\.(\w+)\}?$/.exec(value) ?? [];
    if (type === 'aws_dynamodb_table') return `table.${attribute === 'name' ? 'Ref' : attributes[attribute]}`;
    if (type !== 'aws_sqs_queue') return value;
    const part = queues[id]?.[0].redrive_policy ? 'queue' : 'deadLetters';
    return `${part}.${attribute === 'name' ? 'QueueName' : attributes[attribute]}`;
  };
}

const onlyOne = (blocks: Readonly<Record<string, readonly Block[]>> | undefined): Block =>
  Object.values(blocks ?? {}).flat()[0];

/** A Terraform configuration, read by Terraform's own parser. */
export async function terraformWiring(hcl: string): Promise<Wiring> {
  const { resource, data } = await parse('main.tf', hcl);
  const queues: readonly Block[] = Object.values(resource.aws_sqs_queue).flat();
  const named = namesIn(resource.aws_sqs_queue);
  const fn = onlyOne(resource.aws_lambda_function);
  const mapping = onlyOne(resource.aws_lambda_event_source_mapping);
  const { statement } = onlyOne(data.aws_iam_policy_document);
  return {
    table: tableOf(onlyOne(resource.aws_dynamodb_table)),
    queue: await queueOf(
      queues.find(({ redrive_policy }) => redrive_policy),
      named,
    ),
    deadLetters: {
      retentionSeconds:
        queues.find(({ redrive_policy }) => !redrive_policy).message_retention_seconds ??
        unsaidRetentionSeconds,
    },
    mapping: {
      from: named(mapping.event_source_arn),
      batchSize: mapping.batch_size,
      responses: mapping.function_response_types,
    },
    function: {
      runtime: fn.runtime,
      architecture: fn.architectures[0],
      timeoutSeconds: fn.timeout,
      memoryMegabytes: fn.memory_size,
    },
    environment: Object.fromEntries(
      Object.entries<string>(fn.environment[0].variables).map(([name, value]) => [name, named(value)]),
    ),
    rights: rightsOf(
      statement.map(({ effect = 'Allow', actions, resources }: Block) => ({
        effect,
        actions,
        resource: resources.map(named).join(),
      })),
    ),
    alarm: alarmOf(onlyOne(resource.aws_cloudwatch_metric_alarm), named),
  };
}

async function queueOf(queue: Block, named: (value: string) => string): Promise<Wiring['queue']> {
  // A call stays text, `${jsonencode({…})}`; what it encodes is HCL again.
  const inner = /^\$\{jsonencode\(\{([\s\S]*)\}\)\}$/.exec(queue.redrive_policy)?.[1] ?? '';
  const { deadLetterTargetArn, maxReceiveCount } = await parse('redrive.tf', inner);
  return {
    visibilitySeconds: queue.visibility_timeout_seconds,
    retentionSeconds: queue.message_retention_seconds ?? unsaidRetentionSeconds,
    maxReceiveCount,
    deadLettersGoTo: named(deadLetterTargetArn),
  };
}

function tableOf(table: Block): Wiring['table'] {
  const type = table.attribute.find(({ name }: Block) => name === table.hash_key)?.type;
  const sortKey = table.range_key === undefined ? [] : [[table.range_key, 'RANGE'] as const];
  return {
    key: [[table.hash_key, `${type} HASH`], ...sortKey],
    timeToLive: table.ttl?.[0].enabled ? table.ttl[0].attribute_name : undefined,
    billing: table.billing_mode,
    protected: table.deletion_protection_enabled ?? false,
    restorable: table.point_in_time_recovery?.[0].enabled ?? false,
  };
}

function alarmOf(alarm: Block, named: (value: string) => string): Wiring['alarm'] {
  return {
    metric: `${alarm.namespace} ${alarm.metric_name}`,
    on: named(alarm.dimensions.QueueName),
    statistic: alarm.statistic,
    periodSeconds: alarm.period,
    periods: alarm.evaluation_periods,
    threshold: alarm.threshold,
    comparison: alarm.comparison_operator,
    missingData: alarm.treat_missing_data,
  };
}
