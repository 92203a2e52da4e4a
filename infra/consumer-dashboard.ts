import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ConsumerAlarms } from './consumer-alarms.ts';
import { type ConsumerMetric, consumerMetrics, metricOf } from './metrics.ts';

export interface ConsumerDashboardProps {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly function: IFunction;
  readonly alarms: ConsumerAlarms;
  readonly metricsScope?: string;
}

/**
 * One screen for a person on call, read from the top left: what is wrong, what came in, what became of it,
 * what waits.
 */
export class ConsumerDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: ConsumerDashboardProps) {
    super(scope, id);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.AUTO,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...props.alarms.all], width: 24, height: 2 })],
        [cameIn(props), becameOf(props), duplicates(props)],
        [inFlight(props), parked(props), oldest(props)],
      ],
    });
  }
}

const third = { width: 8, height: 6 };
const sum = { statistic: 'Sum' };
const most = { statistic: 'Maximum' };

function cameIn({ queue }: ConsumerDashboardProps): IWidget {
  return graph('Came in', [
    queue.metricNumberOfMessagesSent({ ...sum, label: 'sent' }),
    queue.metricNumberOfMessagesReceived({ ...sum, label: 'received, redeliveries included' }),
  ]);
}

function becameOf(props: ConsumerDashboardProps): IWidget {
  return graph('Became of it', [
    props.queue.metricNumberOfMessagesDeleted({ ...sum, label: 'acknowledged' }),
    ...ours(props, { Completed: 'completed', Failed: 'failed, will be tried again', Deferred: 'put off' }),
    props.function.metricErrors({ ...sum, label: 'calls that failed as a whole' }),
  ]);
}

function duplicates(props: ConsumerDashboardProps): IWidget {
  const metrics = ours(props, {
    Duplicate: 'answered without running',
    InFlight: 'returned, another attempt runs',
    Takeover: 'taken over from a dead worker',
  });
  if (metrics.length > 0) return graph('Duplicates', metrics);
  const markdown =
    '### Duplicates\nAdd `emitMetrics()` to the handler and `metrics: true` with its `scope` to the construct to see them here.';
  return new TextWidget({ ...third, markdown });
}

function inFlight({ queue }: ConsumerDashboardProps): IWidget {
  return graph('In flight and waiting', [
    queue.metricApproximateNumberOfMessagesNotVisible({ ...most, label: 'in flight or put off' }),
    queue.metricApproximateNumberOfMessagesVisible({ ...most, label: 'waiting' }),
  ]);
}

function parked(props: ConsumerDashboardProps): IWidget {
  return graph('Parked', [
    props.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      ...most,
      label: 'in the dead-letter queue',
    }),
    ...ours(props, { Parked: 'parked', ParkFailed: 'could not be parked' }),
  ]);
}

function oldest({ queue, deadLetterQueue }: ConsumerDashboardProps): IWidget {
  return graph('Oldest message, seconds', [
    queue.metricApproximateAgeOfOldestMessage({ ...most, label: 'in the queue' }),
    deadLetterQueue.metricApproximateAgeOfOldestMessage({ ...most, label: 'in the dead-letter queue' }),
  ]);
}

function ours(
  props: ConsumerDashboardProps,
  labels: Readonly<Partial<Record<ConsumerMetric, string>>>,
): IMetric[] {
  if (props.metricsScope === undefined) return [];
  return consumerMetrics.flatMap((name) => {
    const label = labels[name];
    return label === undefined ? [] : [metricOf(props, name, { label })];
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ ...third, title, left, leftYAxis: { min: 0 } });
}
