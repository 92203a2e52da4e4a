import {
  CloudWatchClient,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  PutMetricAlarmCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  DeleteFunctionConcurrencyCommand,
  type EventSourceMappingConfiguration,
  type FunctionConfiguration,
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  GetQueueAttributesCommand,
  type QueueAttributeName,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import type { Deployment } from '../deployment.ts';

/** Takes a fault out again. */
export type Heal = () => Promise<unknown>;

type Variables = Readonly<Record<string, string>>;

/** The deployed consumer in the hands of somebody who changes it behind CloudFormation's back. */
export class Ward {
  readonly deployment: Deployment;
  private readonly lambda = new LambdaClient();
  private readonly database = new DynamoDBClient();
  private readonly cloudWatch = new CloudWatchClient();
  private readonly iam = new IAMClient();

  constructor(deployment: Deployment) {
    this.deployment = deployment;
  }

  /** What ministack's CloudFormation leaves out of a table, though the template says it. */
  async completeTable(): Promise<void> {
    await this.ttl('expiresAt', true);
    await this.backups(true);
    await this.protection(true);
  }

  async mapping(change: Partial<EventSourceMappingConfiguration> & { Enabled?: boolean }): Promise<Heal> {
    const { Function: FunctionName } = this.deployment.outputs;
    const { EventSourceMappings = [] } = await this.lambda.send(
      new ListEventSourceMappingsCommand({ FunctionName }),
    );
    const { UUID, MaximumBatchingWindowInSeconds, FunctionResponseTypes } = EventSourceMappings[0] ?? {};
    const before = { MaximumBatchingWindowInSeconds, FunctionResponseTypes, Enabled: true };
    const update = (to: object) => this.lambda.send(new UpdateEventSourceMappingCommand({ UUID, ...to }));
    await update(change);
    return () => update(before);
  }

  async queue(
    which: 'Queue' | 'DeadLetterQueue',
    change: Partial<Record<QueueAttributeName, string>>,
  ): Promise<Heal> {
    const { queues } = this.deployment.outside;
    const QueueUrl = this.deployment.outputs[which];
    const before = await this.attributesOf(which);
    const names = Object.keys(change) as QueueAttributeName[];
    const update = (Attributes: typeof change) =>
      queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    await update(change);
    return () => update(Object.fromEntries(names.map((name) => [name, before[name] ?? ''])));
  }

  async attributesOf(which: 'Queue' | 'DeadLetterQueue'): Promise<Readonly<Record<string, string>>> {
    const QueueUrl = this.deployment.outputs[which];
    const question = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    const { Attributes = {} } = await this.deployment.outside.queues.send(question);
    return Attributes;
  }

  async variables(change: Variables): Promise<Heal> {
    const { Environment } = await this.configuration();
    const update = (Variables: Variables) => this.configure({ Environment: { Variables } });
    await update({ ...Environment?.Variables, ...change });
    return () => update(Environment?.Variables ?? {});
  }

  async runtime(Runtime: NonNullable<FunctionConfiguration['Runtime']>): Promise<Heal> {
    const before = await this.configuration();
    await this.configure({ Runtime });
    return () => this.configure({ Runtime: before.Runtime });
  }

  async reserve(ReservedConcurrentExecutions: number): Promise<Heal> {
    const { Function: FunctionName } = this.deployment.outputs;
    await this.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    return () => this.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  }

  async deny(Action: string): Promise<Heal> {
    const { Role = '' } = await this.configuration();
    const policy = { RoleName: Role.split('/').at(-1), PolicyName: 'fault' };
    const Statement = [{ Effect: 'Deny', Action, Resource: '*' }];
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await this.iam.send(new PutRolePolicyCommand({ ...policy, PolicyDocument }));
    return () => this.iam.send(new DeleteRolePolicyCommand(policy));
  }

  async ttl(AttributeName: string, Enabled: boolean): Promise<Heal> {
    const TimeToLiveSpecification = { AttributeName, Enabled };
    await this.database.send(new UpdateTimeToLiveCommand({ ...this.table(), TimeToLiveSpecification }));
    return () => this.ttl('expiresAt', true);
  }

  async backups(PointInTimeRecoveryEnabled: boolean): Promise<Heal> {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled };
    await this.database.send(
      new UpdateContinuousBackupsCommand({ ...this.table(), PointInTimeRecoverySpecification }),
    );
    return () => this.backups(true);
  }

  async protection(DeletionProtectionEnabled: boolean): Promise<Heal> {
    await this.database.send(new UpdateTableCommand({ ...this.table(), DeletionProtectionEnabled }));
    return () => this.protection(true);
  }

  async noAlarm(): Promise<Heal> {
    const alarm = await this.deadLetterAlarm();
    await this.cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: [alarm.AlarmName] }));
    return () => this.cloudWatch.send(new PutMetricAlarmCommand(alarm));
  }

  async silenceAlarm(): Promise<Heal> {
    const { AlarmName } = await this.deadLetterAlarm();
    await this.cloudWatch.send(new DisableAlarmActionsCommand({ AlarmNames: [AlarmName] }));
    return () => this.cloudWatch.send(new EnableAlarmActionsCommand({ AlarmNames: [AlarmName] }));
  }

  close(): void {
    for (const client of [this.lambda, this.database, this.cloudWatch, this.iam]) client.destroy();
  }

  private table(): { readonly TableName: string } {
    return { TableName: this.deployment.outputs.Claims };
  }

  private configuration(): Promise<FunctionConfiguration> {
    const { Function: FunctionName } = this.deployment.outputs;
    return this.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  }

  private configure(to: object): Promise<unknown> {
    const { Function: FunctionName } = this.deployment.outputs;
    return this.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...to }));
  }

  private async deadLetterAlarm() {
    const { MetricAlarms = [] } = await this.cloudWatch.send(new DescribeAlarmsCommand({}));
    const queue = this.deployment.outputs.DeadLetterQueue.split('/').at(-1);
    const alarm = MetricAlarms.find(
      ({ MetricName, Dimensions }) =>
        MetricName === 'ApproximateNumberOfMessagesVisible' && Dimensions?.[0]?.Value === queue,
    );
    if (alarm?.AlarmName === undefined) throw new Error('the deployed stack has no alarm to spoil');
    const { AlarmName, EvaluationPeriods, ComparisonOperator } = alarm;
    return { ...alarm, AlarmName, EvaluationPeriods, ComparisonOperator };
  }
}
