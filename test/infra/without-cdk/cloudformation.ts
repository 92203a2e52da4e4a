import { rightsOf, type Statement, unsaidRetentionSeconds, type Wiring } from './wiring.ts';

/** The part of a resource that is read here. Both generations of tables, and SAM's function beside Lambda's. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Properties;
}
export type Resources = Readonly<Record<string, Resource>>;
// biome-ignore lint/suspicious/noExplicitAny: a template is as deep as CloudFormation has words; what is read is compared at once.
type Properties = any;

/** Something written by several names: references become the part and the attribute they mean. */
export type Named = (value: unknown) => string;

/** Parts are told by what they do, so that a page may call its resources what it likes. */
export function namesIn(resources: Resources): Named {
  const partOf = (id: string): string => {
    const { Type = '', Properties: properties } = resources[id] ?? {};
    if (/^AWS::DynamoDB::(Global)?Table$/.test(Type)) return 'table';
    if (Type === 'AWS::SQS::Queue') return properties.RedrivePolicy ? 'queue' : 'deadLetters';
    return id;
  };
  return (value) => {
    if (typeof value !== 'object' || value === null) return String(value);
    const { Ref: id, 'Fn::GetAtt': got } = value as Properties;
    if (id !== undefined) return `${partOf(id)}.Ref`;
    return got === undefined ? JSON.stringify(value) : `${partOf(got[0])}.${got[1]}`;
  };
}

export function allOf(resources: Resources, type: RegExp): readonly Properties[] {
  return Object.values(resources)
    .filter(({ Type }) => type.test(Type))
    .map(({ Properties: properties }) => properties);
}

/** Tables, queues and alarm: what SAM, Serverless and CDK write alike. */
export function storedParts(resources: Resources): Pick<Wiring, 'table' | 'queue' | 'deadLetters' | 'alarm'> {
  const named = namesIn(resources);
  const [table] = allOf(resources, /^AWS::DynamoDB::/);
  const queues = allOf(resources, /^AWS::SQS::Queue$/);
  const queue = queues.find(({ RedrivePolicy }) => RedrivePolicy);
  const deadLetters = queues.find(({ RedrivePolicy }) => !RedrivePolicy);
  const [alarm] = allOf(resources, /^AWS::CloudWatch::Alarm$/).filter(
    ({ MetricName }) => MetricName === 'ApproximateNumberOfMessagesVisible',
  );
  return {
    table: tableOf(table),
    queue: {
      visibilitySeconds: queue.VisibilityTimeout,
      retentionSeconds: queue.MessageRetentionPeriod ?? unsaidRetentionSeconds,
      maxReceiveCount: queue.RedrivePolicy.maxReceiveCount,
      deadLettersGoTo: named(queue.RedrivePolicy.deadLetterTargetArn),
    },
    deadLetters: { retentionSeconds: deadLetters.MessageRetentionPeriod ?? unsaidRetentionSeconds },
    alarm: {
      metric: `${alarm.Namespace} ${alarm.MetricName}`,
      on: named(alarm.Dimensions[0].Value),
      statistic: alarm.Statistic,
      periodSeconds: alarm.Period,
      periods: alarm.EvaluationPeriods,
      threshold: alarm.Threshold,
      comparison: alarm.ComparisonOperator,
      missingData: alarm.TreatMissingData,
    },
  };
}

function tableOf(table: Properties): Wiring['table'] {
  const types = new Map<string, string>(
    table.AttributeDefinitions.map((attribute: Properties) => [
      attribute.AttributeName,
      attribute.AttributeType,
    ]),
  );
  const replica = table.Replicas?.[0] ?? table;
  const { AttributeName: timeToLive, Enabled: sweeps } = table.TimeToLiveSpecification ?? {};
  return {
    key: table.KeySchema.map(({ AttributeName: name, KeyType }: Properties) => [
      name,
      `${types.get(name)} ${KeyType}`,
    ]),
    timeToLive: sweeps ? timeToLive : undefined,
    billing: table.BillingMode,
    protected: replica.DeletionProtectionEnabled ?? false,
    restorable: replica.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled ?? false,
  };
}

export function environmentOf(variables: Properties, named: Named): Wiring['environment'] {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, named(value)]));
}

export function statementsOf(written: readonly Properties[], named: Named): readonly Statement[] {
  return written.map(({ Effect, Action, Resource }) => ({
    effect: Effect,
    actions: [Action].flat(),
    resource: named(Resource),
  }));
}

/** What CDK synthesized for one consumer and its function. */
export function synthesizedWiring(resources: Resources): Wiring {
  const named = namesIn(resources);
  const [fn] = allOf(resources, /^AWS::Lambda::Function$/);
  const [mapping] = allOf(resources, /^AWS::Lambda::EventSourceMapping$/);
  const policies = allOf(resources, /^AWS::IAM::Policy$/).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  // Every tool gives a function the right to write its log; how is the tool's affair.
  const statements = statementsOf(policies, named).filter(
    ({ actions }) => !actions.every((action) => action.startsWith('logs:')),
  );
  return {
    ...storedParts(resources),
    mapping: {
      from: named(mapping.EventSourceArn),
      batchSize: mapping.BatchSize,
      responses: mapping.FunctionResponseTypes,
    },
    function: {
      runtime: fn.Runtime,
      architecture: fn.Architectures[0],
      timeoutSeconds: fn.Timeout,
      memoryMegabytes: fn.MemorySize,
    },
    environment: environmentOf(fn.Environment.Variables, named),
    rights: rightsOf(statements),
  };
}
