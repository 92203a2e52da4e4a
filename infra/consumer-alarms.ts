import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { advice } from './advice.ts';
import { alarmAt, measuredAlarm, soon } from './alarms.ts';
import type { IClaimTable } from './claim-table.ts';
import type { ConsumerMetric } from './metrics.ts';

export interface ConsumerAlarmsProps {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly claimTable: IClaimTable;
  readonly function: IFunction;
  /**
   * The scope the handler's consumer uses, where it publishes metrics (`emitMetrics()`).
   * @default - only alarms on what AWS itself measures
   */
  readonly metricsScope?: string;
  /**
   * Who is told.
   * @default - nobody: alarms only show
   */
  readonly topic?: ITopic;
  /**
   * How long a consumer with work may finish nothing. Longer than the visibility timeout, so that a message
   * that failed had time to come back and succeed.
   * @default Duration.minutes(15)
   */
  readonly stalledAfter?: Duration;
}

/** SQS hands out no more once 120,000 messages of a queue are in flight. */
const nearlyAllInFlight = 100_000;

/**
 * The alarms of one consumer, each with a description that says what to do.
 *
 * @example
 * ```ts
 * new ConsumerAlarms(this, 'Alarms', { queue, deadLetterQueue, claimTable, function: fn, topic: onCall });
 * ```
 */
export class ConsumerAlarms extends Construct {
  /** A message is waiting for a person. */
  readonly deadLetters: Alarm;
  /** There is work and none of it gets done. */
  readonly stalled: Alarm;
  /** Calls of the function fail as a whole and none of its work gets done. */
  readonly crashing: Alarm;
  /** So many messages are in flight that SQS will soon hand out no more. */
  readonly inFlight: Alarm;
  /** DynamoDB refuses claims. */
  readonly tableThrottled: Alarm;
  /** With `metricsScope`: a message was parked. */
  readonly parked: Alarm | undefined;
  /** With `metricsScope`: an attempt lost its claim to another one. */
  readonly fencedOut: Alarm | undefined;
  /** With `metricsScope`: work was done and could not be recorded. */
  readonly outcomeUnrecorded: Alarm | undefined;
  /** With `metricsScope`: a message could not be parked. */
  readonly parkFailed: Alarm | undefined;
  /** All of them. */
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: ConsumerAlarmsProps) {
    super(scope, id);
    const { queue, deadLetterQueue, claimTable, stalledAfter = Duration.minutes(15) } = props;
    const most = { statistic: 'Maximum', ...soon };
    const atOnce = (alarmId: string, metric: IMetric, description: string, threshold = 1): Alarm =>
      alarmAt(this, alarmId, { metric, threshold, description, topic: props.topic });
    const measured = (name: ConsumerMetric, description: string): Alarm | undefined =>
      measuredAlarm(this, name, props, description);

    const waiting = deadLetterQueue.metricApproximateNumberOfMessagesVisible(most);
    this.deadLetters = atOnce('DeadLetters', waiting, advice.deadLetters);
    this.stalled = atOnce('Stalled', stalledMetric(props, stalledAfter), advice.stalled);
    this.crashing = atOnce('Crashing', crashingMetric(props, stalledAfter), advice.crashing);
    const inFlight = queue.metricApproximateNumberOfMessagesNotVisible(most);
    this.inFlight = atOnce('InFlight', inFlight, advice.inFlight, nearlyAllInFlight);
    const throttled = claimTable.metricThrottledWrites(soon);
    this.tableThrottled = atOnce('TableThrottled', throttled, advice.tableThrottled);

    this.parked = measured('Parked', advice.parked);
    this.fencedOut = measured('FencedOut', advice.fencedOut);
    this.outcomeUnrecorded = measured('OutcomeUnrecorded', advice.outcomeUnrecorded);
    this.parkFailed = measured('ParkFailed', advice.parkFailed);
    this.all = [
      ...[this.deadLetters, this.stalled, this.crashing, this.inFlight, this.tableThrottled],
      ...[this.parked, this.fencedOut, this.outcomeUnrecorded, this.parkFailed],
    ].filter((alarm) => alarm !== undefined);
  }
}

/**
 * Work is there and none is finished. Age alone cries at every backoff, so deletions count as progress.
 * A disabled mapping shows here.
 */
function stalledMetric(props: ConsumerAlarmsProps, period: Duration): MathExpression {
  return new MathExpression({
    label: 'stalled',
    expression: `IF(deleted < 1 AND age > ${period.toSeconds()}, 1, 0)`,
    usingMetrics: {
      deleted: props.queue.metricNumberOfMessagesDeleted({ statistic: 'Sum', period }),
      age: props.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period }),
    },
    period,
  });
}

/**
 * Calls fail as a whole and nothing is finished. A standard queue leaves out of its age whatever was received
 * three times, so a function that dies while loading soon shows no age, only errors. An expression of its
 * own, because without calls there are no errors, not even zero, and it must not blind the other.
 */
function crashingMetric(props: ConsumerAlarmsProps, period: Duration): MathExpression {
  return new MathExpression({
    label: 'crashing',
    expression: 'IF(deleted < 1 AND errors > 0, 1, 0)',
    usingMetrics: {
      deleted: props.queue.metricNumberOfMessagesDeleted({ statistic: 'Sum', period }),
      errors: props.function.metricErrors({ statistic: 'Sum', period }),
    },
    period,
  });
}
