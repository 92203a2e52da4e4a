import { DescribeAlarmsCommand, type Dimension, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { type Clients, lookAt } from './clients.ts';
import type { AlarmFacts, RightFacts, Seen } from './facts.ts';

/** The alarms on messages that wait in a queue. */
export function lookAtAlarms(
  { cloudWatch }: Clients,
  queueName: string,
): Promise<Seen<readonly AlarmFacts[]>> {
  return lookAt(async () => {
    const found: AlarmFacts[] = [];
    let NextToken: string | undefined;
    do {
      const page = await cloudWatch.send(
        new DescribeAlarmsCommand({
          AlarmTypes: ['MetricAlarm'],
          ...(NextToken !== undefined ? { NextToken } : {}),
        }),
      );
      found.push(...(page.MetricAlarms ?? []).filter((alarm) => watches(alarm, queueName)).map(alarmFacts));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return found;
  });
}

/** An alarm may name its metric itself, or in a sum of several. */
function watches(alarm: MetricAlarm, queueName: string): boolean {
  const metrics = [alarm, ...(alarm.Metrics ?? []).map((metric) => metric.MetricStat?.Metric)];
  return metrics.some(
    (metric) =>
      metric?.MetricName === 'ApproximateNumberOfMessagesVisible' && namesQueue(metric.Dimensions, queueName),
  );
}

function namesQueue(dimensions: readonly Dimension[] = [], queueName: string): boolean {
  return dimensions.some(({ Name, Value }) => Name === 'QueueName' && Value === queueName);
}

function alarmFacts({ AlarmName, ActionsEnabled, AlarmActions, StateValue }: MetricAlarm): AlarmFacts {
  return {
    name: AlarmName ?? 'an alarm without a name',
    notifies: ActionsEnabled !== false && (AlarmActions ?? []).length > 0,
    state: StateValue,
  };
}

/** What a consumer's function does, and to what. */
export interface Deeds {
  readonly queueArn: string | undefined;
  readonly deadLetterQueueArn: string | undefined;
  readonly tableArn: string | undefined;
}

/** What a role may do of what a consumer needs. AWS's simulation, which changes nothing. */
export function lookAtRights(
  { iam }: Clients,
  roleArn: string,
  deeds: Deeds,
): Promise<Seen<readonly RightFacts[]>> {
  return lookAt(async () => {
    const needed: readonly (readonly [resource: string | undefined, actions: readonly string[]])[] = [
      [
        deeds.queueArn,
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
      ],
      [deeds.deadLetterQueueArn, ['sqs:SendMessage']],
      [
        deeds.tableArn,
        ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem', 'dynamodb:ConditionCheckItem'],
      ],
    ];
    const rights: RightFacts[] = [];
    for (const [resource, actions] of needed) {
      if (resource === undefined) continue;
      const { EvaluationResults = [] } = await iam.send(
        new SimulatePrincipalPolicyCommand({
          PolicySourceArn: roleArn,
          ActionNames: [...actions],
          ResourceArns: [resource],
        }),
      );
      for (const { EvalActionName: action = '', EvalDecision } of EvaluationResults) {
        rights.push({ action, resource, allowed: EvalDecision === 'allowed' });
      }
    }
    return rights;
  });
}
