import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { type ConsumerMetric, metricOf } from './metrics.ts';

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

/** Whose metrics, and who is told. */
export interface MeasuredAlarmProps {
  readonly function: IFunction;
  readonly metricsScope?: string;
  readonly topic?: ITopic;
}

/** An alarm on a metric the handler publishes; none where it publishes nothing. */
export function measuredAlarm(
  scope: Construct,
  name: ConsumerMetric,
  props: MeasuredAlarmProps,
  description: string,
): Alarm | undefined {
  if (props.metricsScope === undefined) return undefined;
  const metric = metricOf(props, name, soon);
  return alarmAt(scope, name, { metric, threshold: 1, description, topic: props.topic });
}
