// A consumer to be examined: its queues and table are real stand-ins, what they lack is answered from here.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clients } from '../../lib/doctor/clients.ts';

type Attributes = Record<string, string>;

/** A deployment as it should be; each test spoils one thing of it. */
export interface Deployment {
  queue: Attributes;
  deadLetterQueue: Attributes;
  /** Names the redrive policy names; `undefined` for a queue without one. */
  maxReceiveCount: number | undefined;
  mapping: Record<string, unknown> | undefined;
  fn: Record<string, unknown> & { Environment: { Variables: Record<string, string> } };
  reserved: number | undefined;
  alarms: Record<string, unknown>[];
  denied: string[];
  backups: 'ENABLED' | 'DISABLED';
  /** Questions the doctor may not ask. */
  refused: string[];
  protected: boolean;
}

export interface World {
  readonly sqs: SQSClient;
  readonly dynamo: DynamoDBClient;
}

export const healthy = (id: string, table: string): Deployment => ({
  queue: { VisibilityTimeout: '180', MessageRetentionPeriod: '345600' },
  deadLetterQueue: { MessageRetentionPeriod: '1209600' },
  maxReceiveCount: 15,
  mapping: {
    State: 'Enabled',
    BatchSize: 10,
    MaximumBatchingWindowInSeconds: 0,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    FunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:pay',
  },
  fn: {
    FunctionName: 'pay',
    Timeout: 30,
    Runtime: 'nodejs24.x',
    Role: 'arn:aws:iam::000000000000:role/pay',
    Environment: {
      Variables: {
        SQS_ONCE_TABLE: table,
        SQS_ONCE_MAX_RECEIVE_COUNT: '15',
        SQS_ONCE_PARTIAL_RESPONSES: 'true',
        GATEWAY_SECRET: 'hush',
      },
    },
  },
  reserved: undefined,
  alarms: [
    {
      AlarmName: 'dead letters',
      ActionsEnabled: true,
      AlarmActions: ['arn:aws:sns:us-east-1:000000000000:on-call'],
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: `${id}-dlq` }],
    },
  ],
  denied: [],
  backups: 'ENABLED',
  refused: [],
  protected: true,
});

/** Creates the queues of a deployment, and answers the clients that see all of it. */
export async function admit(world: World, id: string, deployment: Deployment): Promise<Clients> {
  const fifo = (attributes: Attributes) => (attributes.FifoQueue === 'true' ? '.fifo' : '');
  const target = await create(
    world.sqs,
    `${id}-dlq${fifo(deployment.deadLetterQueue)}`,
    deployment.deadLetterQueue,
  );
  const policy = { deadLetterTargetArn: target, maxReceiveCount: deployment.maxReceiveCount };
  const queueArn = await create(world.sqs, `${id}${fifo(deployment.queue)}`, {
    ...deployment.queue,
    ...(deployment.maxReceiveCount === undefined ? {} : { RedrivePolicy: JSON.stringify(policy) }),
  });
  const { mapping } = deployment;
  const answers: Record<string, (input: Record<string, unknown>) => unknown> = {
    ListEventSourceMappings: () => ({
      EventSourceMappings: mapping === undefined ? [] : [{ EventSourceArn: queueArn, ...mapping }],
    }),
    GetEventSourceMapping: () => ({ EventSourceArn: queueArn, ...mapping }),
    GetFunctionConfiguration: () => deployment.fn,
    GetFunctionConcurrency: () => ({ ReservedConcurrentExecutions: deployment.reserved }),
    DescribeAlarms: () => ({ MetricAlarms: deployment.alarms }),
    SimulatePrincipalPolicy: ({ ActionNames }) => ({
      EvaluationResults: (ActionNames as string[]).map((action) => ({
        EvalActionName: action,
        EvalDecision: deployment.denied.includes(action) ? 'implicitDeny' : 'allowed',
      })),
    }),
    ListStackResources: ({ StackName }) => ({
      StackResourceSummaries:
        StackName === 'Outer'
          ? [{ ResourceType: 'AWS::CloudFormation::Stack', PhysicalResourceId: 'Shop' }]
          : [
              { ResourceType: 'AWS::SQS::Queue', PhysicalResourceId: id },
              { ResourceType: 'AWS::Lambda::EventSourceMapping', PhysicalResourceId: 'uuid' },
            ],
    }),
  };
  const permitted = (command: Command) => {
    if (!deployment.refused.includes(nameOf(command))) return;
    throw Object.assign(new Error('not for you'), { name: 'AccessDeniedException' });
  };
  const elsewhere = {
    async send(command: Command) {
      permitted(command);
      return answered(answers, command);
    },
  };
  return {
    sqs: world.sqs,
    // The stand-in keeps no backups and does not protect.
    dynamo: {
      async send(command: Command) {
        permitted(command);
        if (nameOf(command) === 'DescribeContinuousBackups') return backups(deployment);
        const answer = (await world.dynamo.send(command as never)) as { Table?: object };
        return answer.Table === undefined
          ? answer
          : { Table: { ...answer.Table, DeletionProtectionEnabled: deployment.protected } };
      },
    },
    lambda: elsewhere,
    cloudWatch: elsewhere,
    iam: elsewhere,
    cloudFormation: elsewhere,
  } as unknown as Clients;
}

interface Command {
  readonly input: Record<string, unknown>;
}

function nameOf(command: Command): string {
  return command.constructor.name.replace(/Command$/, '');
}

/** Anything that is not a question fails the test: the doctor only reads. */
function answered(answers: Record<string, (input: Record<string, unknown>) => unknown>, command: Command) {
  const answer = answers[nameOf(command)];
  if (answer === undefined) throw new Error(`the doctor asked for ${nameOf(command)}`);
  return answer(command.input);
}

function backups({ backups: status }: Deployment): object {
  const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: status };
  return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription } };
}

async function create(sqs: SQSClient, QueueName: string, Attributes: Attributes): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  return answer.Attributes?.QueueArn ?? '';
}
