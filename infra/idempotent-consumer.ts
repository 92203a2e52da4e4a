import { Duration } from 'aws-cdk-lib';
import type { Dashboard, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ConfigurationError } from '../lib/errors.ts';
import { bundledFunction } from './bundled-function.ts';
import { wiringOf } from './checks/consumer-wiring.ts';
import { queueSettings } from './checks/queue-settings.ts';
import { refuseProps } from './checks/refuse-props.ts';
import type { AnyTable } from './checks/refuse-table.ts';
import { refuseWiring } from './checks/refuse-wiring.ts';
import { defaults } from './checks/sums.ts';
import { warnOf } from './checks/warnings.ts';
import { ClaimTable, type IClaimTable } from './claim-table.ts';
import { ConsumerAlarms } from './consumer-alarms.ts';
import { ConsumerDashboard } from './consumer-dashboard.ts';
import { consumerEnvironment, consumerVariables } from './consumer-environment.ts';
import type { IdempotentConsumerProps } from './consumer-props.ts';
import { refuseBroughtVariables, refuseEnvironment, setEnvironment } from './environment.ts';
import { type ConsumerMetric, metricOf } from './metrics.ts';
import { grantCommit, grantRedrive, grantSend } from './permissions.ts';
import { queuePair } from './queue-pair.ts';

/**
 * A consumer that cannot lose a message: source queue, dead-letter queue, claim table, function, their
 * wiring, rights, alarms and a dashboard. What cannot work is refused, at the latest at synth, with the value
 * got, the value allowed and the sum.
 *
 * @throws ConfigurationError when the props contradict each other or Lambda's and SQS's limits.
 * @example
 * ```ts
 * const payments = new IdempotentConsumer(this, 'Payments', { entry: 'handlers/capture-payment.ts' });
 * payments.grantSendMessages(checkout);
 * payments.grantCommit(captures);
 * ```
 */
export class IdempotentConsumer extends Construct {
  /** The source queue. */
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly claimTable: IClaimTable;
  readonly function: IFunction;
  readonly alarms: ConsumerAlarms;
  /** Absent with `dashboard: false`. */
  readonly dashboard: Dashboard | undefined;
  private readonly metricsScope: string | undefined;

  constructor(scope: Construct, id: string, props: IdempotentConsumerProps) {
    super(scope, id);
    const refusals = refuseProps(props);
    if (refusals.length > 0) throw new ConfigurationError(`[${this.node.path}] ${refusals.join('\n')}`);

    this.claimTable = props.claimTable ?? new ClaimTable(this, 'Claims');
    this.function = this.functionOf(props);
    const pair = queuePair(this, props, this.function);
    this.queue = pair.queue;
    this.deadLetterQueue = pair.deadLetterQueue;
    this.metricsScope = props.metrics === true ? props.scope : undefined;

    this.function.addEventSource(eventSource(this.queue, props));
    this.grantWork(props);
    const environment = consumerEnvironment(this, props);
    setEnvironment(this.function, environment);

    this.alarms = new ConsumerAlarms(this, 'Alarms', { ...this.watched(), ...this.alarmOptions(props) });
    this.dashboard =
      props.dashboard === false
        ? undefined
        : new ConsumerDashboard(this, 'Dashboard', { ...this.watched(), alarms: this.alarms }).dashboard;

    warnOf(this, props);
    this.node.addValidation({
      validate: () => [
        ...refuseWiring(wiringOf(this, props)),
        ...refuseEnvironment(this.function, environment),
        ...refuseBroughtVariables(this.function, consumerVariables),
      ],
    });
  }

  /** Lets somebody send messages to the consumer. */
  grantSendMessages(grantee: IGrantable): Grant {
    return grantSend(this.queue, grantee);
  }

  /** Lets the handler send follow-ups to another queue (`attempt.followUps`). */
  grantFollowUps(queue: IQueue): Grant {
    return grantSend(queue, this.function);
  }

  /** Lets a person or a job see, bring back and drop parked messages (`sqs-once dlq`). */
  grantRedrive(grantee: IGrantable): Grant {
    return grantRedrive(this, grantee);
  }

  /** Lets the handler write to a table of yours in the claim's transaction (`attempt.transaction`). */
  grantCommit(table: AnyTable): Grant {
    return grantCommit(table, this.function);
  }

  /**
   * One of the metrics `emitMetrics()` publishes; by default the sum over five minutes.
   *
   * @throws ConfigurationError without `metrics: true` and `scope`.
   */
  metric(name: ConsumerMetric, options?: MetricOptions): Metric {
    return metricOf({ function: this.function, ...this.measured() }, name, options);
  }

  private functionOf(props: IdempotentConsumerProps): IFunction {
    if (props.function) return props.function;
    return bundledFunction(this, 'Function', props.entry ?? '', props);
  }

  /**
   * The function may park into the dead-letter queue and never send to the source queue: a message put off by
   * sending it anew would lose its receive count, and Lambda's loop detection would drop it.
   */
  private grantWork(props: IdempotentConsumerProps): void {
    // A function imported by its name has no role to add rights to; the warning says which it needs.
    if (this.function.role === undefined) return;
    this.claimTable.grantClaims(this.function, { batchedClaims: props.batchedClaims ?? false });
    grantSend(this.deadLetterQueue, this.function);
  }

  private measured() {
    return this.metricsScope === undefined ? {} : { metricsScope: this.metricsScope };
  }

  private watched() {
    const { queue, deadLetterQueue } = this;
    return { queue, deadLetterQueue, function: this.function, ...this.measured() };
  }

  private alarmOptions(props: IdempotentConsumerProps) {
    return {
      claimTable: this.claimTable,
      stalledAfter: props.stalledAfter ?? stalledAfter(this.queue),
      ...(props.alarmTopic && { topic: props.alarmTopic }),
    };
  }
}

function eventSource(queue: IQueue, props: IdempotentConsumerProps): SqsEventSource {
  return new SqsEventSource(queue, {
    // Without it Lambda ignores which messages failed and deletes the whole batch. No prop turns it off.
    reportBatchItemFailures: true,
    batchSize: props.batchSize ?? defaults.batchSize,
    ...(props.maxBatchingWindow && { maxBatchingWindow: props.maxBatchingWindow }),
    ...(props.maxConcurrency !== undefined && { maxConcurrency: props.maxConcurrency }),
    ...(props.provisionedPollers && { provisionedPollerConfig: props.provisionedPollers }),
  });
}

/** Longer than a failed message stays away, so that its next try had time to succeed. */
function stalledAfter(queue: IQueue): Duration {
  const visibilitySeconds = queueSettings(queue)?.visibilityTimeoutSeconds ?? 0;
  const minutes = Math.ceil(visibilitySeconds / 60) + 5;
  return Duration.minutes(Math.max(15, minutes));
}
