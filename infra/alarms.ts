import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface AlarmProps {
  readonly metric: IMetric;
  readonly threshold: number;
  /** What happened and what to do about it: the one sentence a person woken up reads. */
  readonly description: string;
  readonly topic?: ITopic | undefined;
}

/**
 * An alarm that goes off on the first bad value and needs no second one: the queues and the consumer fall
 * silent when idle, and a value that never comes must neither hide nor raise anything.
 */
export function alarmAt(scope: Construct, id: string, props: AlarmProps): Alarm {
  const alarm = new Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    alarmDescription: props.description,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  if (props.topic) alarm.addAlarmAction(new SnsAction(props.topic));
  return alarm;
}

export const soon = { period: Duration.minutes(1) };
