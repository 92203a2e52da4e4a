import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
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
      description:
        "Calls of the function fail as a whole, so callers get no answer of ours. Read the function's log: a " +
        'module that throws while loading, a missing right, a table that is gone, or a timeout.',
      topic,
    });
    this.tableThrottled = alarmAt(this, 'TableThrottled', {
      metric: props.claimTable.metricThrottledWrites(soon),
      threshold: 1,
      description:
        'The claim table refuses writes, so callers are told to try again. ' +
        "Raise the table's warm throughput or capacity.",
      topic,
    });
    this.fencedOut = measuredAlarm(
      this,
      'FencedOut',
      props,
      'A request outlived its lease and another attempt took over: the first wrote nothing, but its calls to ' +
        'other services may have happened twice. Look for a frozen or overlong run; give calls an effect key.',
    );
    this.outcomeUnrecorded = measuredAlarm(
      this,
      'OutcomeUnrecorded',
      props,
      'A request was answered, but its answer could not be recorded: a retry after the lease runs it again. ' +
        'Run `sqs-once claims show` for the key in the log and see whether the claim table is reachable.',
    );
    this.all = [this.crashing, this.tableThrottled, this.fencedOut, this.outcomeUnrecorded].filter(
      (alarm) => alarm !== undefined,
    );
  }
}
