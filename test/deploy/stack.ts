import {
  Aspects,
  CfnOutput,
  Duration,
  RemovalPolicies,
  RemovalPolicy,
  Stack,
  type StackProps,
} from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { ClaimTable, IdempotentConsumer } from '../../infra/index.ts';
import { misnamingQueue } from './misnaming-queue.ts';

export interface DeployedProps extends StackProps {
  readonly maxAttempts: number;
  /** On AWS itself: nothing may stay behind, not even the claim table, and open questions are asked. */
  readonly ephemeral: boolean;
  /** Where CloudFormation does not know alarms over expressions. */
  readonly plainAlarms: boolean;
}

/** What the check needs to know of the deployed stack. */
export const outputNames = [
  'Queue',
  'DeadLetterQueue',
  'Receipts',
  'Claims',
  'Captures',
  'Runs',
  'Function',
] as const;
export type Outputs = Readonly<Record<(typeof outputNames)[number], string>> & {
  /** Only where open questions are asked. */
  readonly Misnaming?: string;
};

/** One consumer with everything a consumer can have, made to be watched. */
export class DeployedStack extends Stack {
  constructor(scope: Construct, id: string, props: DeployedProps) {
    super(scope, id, props);
    const removalPolicy = RemovalPolicy.DESTROY;
    const byOrder = { partitionKey: { name: 'orderId', type: AttributeType.STRING }, removalPolicy };
    const captures = new TableV2(this, 'Captures', byOrder);
    const runs = new TableV2(this, 'Runs', byOrder);
    const receipts = new Queue(this, 'Receipts');
    const claimTable = new ClaimTable(this, 'Claims', props.ephemeral ? { removalPolicy } : {});
    const consumer = new IdempotentConsumer(this, 'Payments', {
      entry: 'test/deploy/handlers/capture.ts',
      claimTable,
      timeout: Duration.seconds(20),
      maxAttempts: props.maxAttempts,
      alarmTopic: new Topic(this, 'OnCall'),
      // Lambda's runtime brings the SDK along; a stand-in for Lambda does not.
      bundling: { bundleAwsSDK: true },
      environment: { RUNS: runs.tableName, CAPTURES: captures.tableName, RECEIPTS: receipts.queueUrl },
    });
    consumer.grantCommit(captures);
    consumer.grantFollowUps(receipts);
    runs.grantWriteData(consumer.function);
    if (props.plainAlarms) plainAlarms(this);
    if (props.ephemeral) RemovalPolicies.of(this).destroy();
    tell(this, {
      Queue: consumer.queue.queueUrl,
      DeadLetterQueue: consumer.deadLetterQueue.queueUrl,
      Receipts: receipts.queueUrl,
      Claims: claimTable.table.tableName,
      Captures: captures.tableName,
      Runs: runs.tableName,
      Function: consumer.function.functionName,
      ...(props.ephemeral && { Misnaming: misnamingQueue(this).queueUrl }),
    });
  }
}

/** Makes outputs under ids that stay the same. */
export function tell(stack: Stack, outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    new CfnOutput(stack, `${name}Output`, { value }).overrideLogicalId(`Out${name}`);
  }
}

/** Deploys alarms over expressions as plain ones, where CloudFormation is played by something that has none. */
export function plainAlarms(scope: IConstruct): void {
  Aspects.of(scope).add({ visit: withoutExpression });
}

function withoutExpression(node: IConstruct): void {
  if (!CfnAlarm.isCfnAlarm(node) || node.metrics === undefined) return;
  node.addPropertyDeletionOverride('Metrics');
  node.addPropertyOverride('Namespace', 'AWS/SQS');
  node.addPropertyOverride('MetricName', 'NumberOfMessagesDeleted');
  node.addPropertyOverride('Period', 900);
  node.addPropertyOverride('Statistic', 'Sum');
}
