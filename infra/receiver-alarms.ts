import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { receiverAdvice } from './advice.ts';
import { alarmAt, measuredAlarm, soon } from './alarms.ts';
import type { IClaimTable } from './claim-table.ts';

export interface ReceiverAlarmsProps {
  readonly function: IFunction;
  readonly claimTable: IClaimTable;
  /**
   * The scope the handler's receiver uses, where it publishes metrics (`emitMetrics()`).
   * @default - only alarms on what AWS itself measures
   */
  readonly metricsScope?: string;
  /**
   * Who is told.
   * @default - nobody: alarms only show
   */
  readonly topic?: ITopic;
}

/** The alarms of one receiver, each with a description that says what to do. */
export class ReceiverAlarms extends Construct {
  /** Calls of the function fail as a whole. */
  readonly crashing: Alarm;
  /** DynamoDB refuses claims. */
  readonly tableThrottled: Alarm;
  /** With `metricsScope`: an attempt lost its claim to another one. */
  readonly fencedOut: Alarm | undefined;
  /** With `metricsScope`: work was done and its answer could not be recorded. */
  readonly outcomeUnrecorded: Alarm | undefined;
  /** All of them. */
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ReceiverAlarmsProps) {
    super(scope, id);
    const { topic } = props;
    this.crashing = alarmAt(this, 'Crashing', {
      metric: props.function.metricErrors({ statistic: 'Sum', ...soon }),
      threshold: 1,
      description: receiverAdvice.crashing,
      topic,
    });
    this.tableThrottled = alarmAt(this, 'TableThrottled', {
      metric: props.claimTable.metricThrottledWrites(soon),
      threshold: 1,
      description: receiverAdvice.tableThrottled,
      topic,
    });
    this.fencedOut = measuredAlarm(this, 'FencedOut', props, receiverAdvice.fencedOut);
    this.outcomeUnrecorded = measuredAlarm(
      this,
      'OutcomeUnrecorded',
      props,
      receiverAdvice.outcomeUnrecorded,
    );
    this.all = [this.crashing, this.tableThrottled, this.fencedOut, this.outcomeUnrecorded].filter(
      (alarm) => alarm !== undefined,
    );
  }
}
