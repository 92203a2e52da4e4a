import { Duration } from 'aws-cdk-lib';
import { type Alarm, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { alarmAt, measuredAlarm, soon } from './alarms.ts';
import type { IClaimTable } from './claim-table.ts';

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
    const { topic, stalledAfter = Duration.minutes(15) } = props;
    this.deadLetters = alarmAt(this, 'DeadLetters', {
      metric: props.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        ...soon,
      }),
      threshold: 1,
      description:
        'Messages wait in the dead-letter queue. Run `sqs-once dlq list` first: it shows each with its reason. ' +
        'Mend the cause, then `sqs-once dlq redrive`.',
      topic,
    });
    this.stalled = alarmAt(this, 'Stalled', {
      metric: stalledMetric(props, stalledAfter),
      threshold: 1,
      description:
        'The consumer has work and finishes nothing. See whether its event source mapping is enabled and ' +
        'whether the function is throttled; `sqs-once doctor` checks the wiring.',
      topic,
    });
    this.crashing = alarmAt(this, 'Crashing', {
      metric: crashingMetric(props, stalledAfter),
      threshold: 1,
      description:
        "Calls of the function fail as a whole and nothing is finished. Read the function's log: a module that " +
        'throws while loading, a missing right, a table that is gone, or a timeout.',
      topic,
    });
    this.inFlight = alarmAt(this, 'InFlight', {
      metric: props.queue.metricApproximateNumberOfMessagesNotVisible({ statistic: 'Maximum', ...soon }),
      threshold: nearlyAllInFlight,
      description:
        'Nearly 120,000 messages are in flight; past that SQS hands out no more. See what the handler waits for, ' +
        'or whether many messages are put off at once.',
      topic,
    });
    this.tableThrottled = alarmAt(this, 'TableThrottled', {
      metric: props.claimTable.metricThrottledWrites(soon),
      threshold: 1,
      description:
        'The claim table refuses writes, so messages go back to the queue unhandled. Nothing is lost. ' +
        "Raise the table's warm throughput or capacity, or lower maxConcurrency.",
      topic,
    });
    this.parked = measuredAlarm(
      this,
      'Parked',
      props,
      'A message was parked as poison. Run `sqs-once dlq list`: it shows the reason.',
    );
    this.fencedOut = measuredAlarm(
      this,
      'FencedOut',
      props,
      'An attempt outlived its lease and another took over: the first wrote nothing, but its calls to other ' +
        'services may have happened twice. Look for a frozen or overlong run; give calls an effect key.',
    );
    this.outcomeUnrecorded = measuredAlarm(
      this,
      'OutcomeUnrecorded',
      props,
      'Work was done, but its outcome could not be written and the message is acknowledged. Run ' +
        '`sqs-once claims show` for the key in the log and see whether the claim table is reachable.',
    );
    this.parkFailed = measuredAlarm(
      this,
      'ParkFailed',
      props,
      'The dead-letter queue did not take a message. It stays in the source queue. See whether the function ' +
        'may send to the dead-letter queue and use its key.',
    );
    const measured = [this.parked, this.fencedOut, this.outcomeUnrecorded, this.parkFailed];
    this.all = [
      this.deadLetters,
      this.stalled,
      this.crashing,
      this.inFlight,
      this.tableThrottled,
      ...measured,
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
