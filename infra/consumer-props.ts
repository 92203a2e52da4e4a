import type { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction, ProvisionedPollerConfig } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { BundledFunctionProps } from './bundled-function.ts';
import type { IClaimTable } from './claim-table.ts';

/** The queues, where they are made here. */
export interface ConsumerQueueProps {
  /**
   * Whether messages of a group are handled in the order they were sent. Makes both queues FIFO queues.
   * @default false
   */
  readonly fifo?: boolean;
  /**
   * The source queue's name; ends in `.fifo` with `fifo`.
   * @default - CloudFormation makes one
   */
  readonly queueName?: string;
  /**
   * How long a received message stays hidden from other receivers, at most 12 hours.
   * @default - 6 × the function's timeout + the batching window
   */
  readonly visibilityTimeout?: Duration;
  /**
   * How long the source queue keeps a message, at most 14 days and no longer than the dead-letter queue does.
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;
  /**
   * How long every message is delayed, at most 15 minutes.
   * @default Duration.seconds(0)
   */
  readonly deliveryDelay?: Duration;
  /**
   * After how many receives SQS itself moves a message to the dead-letter queue, 1 to 1,000. The consumer parks poison
   * long before, counting attempts; this is the net under it, wide because a bounced duplicate, a message
   * asked for later and a throttled call each cost a receive too.
   * @default 50, or more where `maxAttempts` asks for it: 3 × `maxAttempts`, on FIFO `maxAttempts` × `batchSize`
   */
  readonly maxReceiveCount?: number;
  /**
   * A key of your own for both queues.
   * @default - SQS's own key
   */
  readonly encryptionKey?: IKey;
  /**
   * How long the dead-letter queue keeps a message, at most 14 days.
   * @default Duration.days(14)
   */
  readonly deadLetterRetentionPeriod?: Duration;
}

/** What `IdempotentConsumer` takes. Either `entry` or `function`; all else has a default. */
export interface IdempotentConsumerProps extends BundledFunctionProps, ConsumerQueueProps {
  /**
   * The file with the handler, bundled by esbuild; relative to the directory the app runs in.
   * @default - `function` is used
   */
  readonly entry?: string;
  /**
   * A function of your own. One function serves one consumer: its environment names one queue. Variables that begin
   * with `SQS_ONCE_` are set here.
   * @default - made from `entry`
   */
  readonly function?: IFunction;
  /**
   * A source queue of your own, with a dead-letter queue.
   * @default - made here
   */
  readonly queue?: IQueue;
  /**
   * A dead-letter queue of your own, of the same type as the source queue.
   * @default - that of `queue`, or made here
   */
  readonly deadLetterQueue?: IQueue;
  /**
   * A claim table shared with other consumers, or `ClaimTable.fromTable` of your own.
   * @default - made here
   */
  readonly claimTable?: IClaimTable;

  /**
   * The most messages one call of the function gets: 1 to 10, with `maxBatchingWindow` to 10,000 (not on FIFO).
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long Lambda gathers a batch, at most 5 minutes; not on FIFO.
   * @default - Lambda does not wait
   */
  readonly maxBatchingWindow?: Duration;
  /**
   * The most calls of the function that run at once for this queue: 2 to 1,000. Needed with
   * `reservedConcurrentExecutions`, and at most as large.
   * @default - as many as Lambda starts
   */
  readonly maxConcurrency?: number;
  /**
   * Pollers kept ready for the queue, instead of `maxConcurrency`.
   * @default - Lambda's own
   */
  readonly provisionedPollers?: ProvisionedPollerConfig;

  /**
   * Runs of the handler a message gets before it is parked.
   * @default - the consumer's own: 5
   */
  readonly maxAttempts?: number;
  /**
   * The length of a lease in seconds, at least 3 and at most the visibility timeout; renewed while the
   * handler runs.
   * @default - the invocation's remaining time + 1 s
   */
  readonly leaseSeconds?: number;
  /**
   * When the claim is written: before the work, or in one transaction with it.
   * @default - the consumer's own: 'first'
   */
  readonly claim?: 'first' | 'with-commit';
  /**
   * Whether the handler claims whole batches in one call (`dynamoClaims({ batching: true })`).
   * @default false
   */
  readonly batchedClaims?: boolean;
  /**
   * How long a claim is kept, at least as long as SQS can deliver its message again.
   * @default - that very time, computed from the queues and `redrives`, in full days
   */
  readonly retention?: Duration;
  /**
   * How many times one message may be brought back from the dead-letter queue; each lengthens the retention
   * by a whole pass through both queues.
   * @default 1
   */
  readonly redrives?: number;
  /**
   * How long the provider behind `attempt.effectKey` remembers a key. Where that is shorter than a message's
   * way through the queues, synth warns.
   * @default - not checked
   */
  readonly effectKeyLifetime?: Duration;

  /**
   * Whether the handler publishes metrics (`emitMetrics()`): adds the alarms and widgets that read them.
   * @default false
   */
  readonly metrics?: boolean;
  /**
   * The scope the handler's consumer uses; needed with `metrics`, whose `Scope` dimension it is.
   * @default - none
   */
  readonly scope?: string;
  /**
   * Who is told when an alarm goes off.
   * @default - nobody: alarms only show
   */
  readonly alarmTopic?: ITopic;
  /**
   * How long a consumer with work may finish nothing before it counts as stalled.
   * @default - the visibility timeout + 5 minutes, at least 15 minutes
   */
  readonly stalledAfter?: Duration;
  /**
   * Whether to make a CloudWatch dashboard.
   * @default true
   */
  readonly dashboard?: boolean;
}
