import { isFifoArn } from '../arrive/record.ts';
import { expectWithin } from '../expect-within.ts';
import type { Report } from './events.ts';
import { findHandler } from './handler-file.ts';
import type { LocalAws } from './local-aws.ts';
import type { Duplicate } from './poller.ts';
import type { QueueState } from './queue.ts';
import type { WorkerProgram } from './worker.ts';

/** Options of {@link startRunner}. */
export interface RunnerOptions {
  /** Where the queue is, and what a worker needs to find it. */
  readonly aws: Pick<LocalAws, 'sqs' | 'env' | 'region'>;
  readonly queueUrl: string;
  /** `path.export` as in a Lambda function's configuration; the ending (`.ts`, `.js`, …) is found. */
  readonly handler: string;
  /**
   * Worker processes, and so invocations at a time; 1 to 64.
   * @default 2
   */
  readonly workers?: number;
  /**
   * How long one invocation may take before its worker is killed, up to 900 seconds. At most the queue's
   * visibility timeout, as AWS demands.
   * @default 30
   */
  readonly timeoutSeconds?: number;
  /**
   * Messages in a batch: 1 to 10, up to 10,000 with a batching window on a standard queue.
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long to wait for a batch to fill, 0 to 300 seconds; not for FIFO queues.
   * @default 0
   */
  readonly batchingWindowSeconds?: number;
  /**
   * Whether the mapping reads `batchItemFailures`. Without, any answer acknowledges the whole batch.
   * @default true
   */
  readonly reportBatchItemFailures?: boolean;
  /** Environment of the workers, over the parent's and that of `aws`. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Which messages are delivered a second time.
   * @default - none
   */
  readonly duplicate?: Duplicate;
  /** Is told everything that happens. */
  readonly onEvent?: Report;
}

/** The options with every default in place. */
export interface RunnerSettings {
  readonly workers: number;
  readonly batchSize: number;
  readonly windowMillis: number;
  readonly reportBatchItemFailures: boolean;
  readonly duplicate: Duplicate;
  readonly report: Report;
  readonly program: WorkerProgram;
}

export function settleOptions(options: RunnerOptions, queue: QueueState): RunnerSettings {
  const { workers = 2, timeoutSeconds = 30, batchSize = 10, batchingWindowSeconds = 0 } = options;
  const fifo = isFifoArn(queue.arn);
  const windowed = batchingWindowSeconds >= 1 && !fifo;
  expectWithin('workers', workers, 1, 64);
  expectWithin('batchSize', batchSize, 1, windowed ? 10_000 : 10);
  expectWithin('batchingWindowSeconds', batchingWindowSeconds, 0, fifo ? 0 : 300);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 900)) {
    throw new RangeError(`timeoutSeconds is ${timeoutSeconds}; give more than 0 and at most 900`);
  }
  if (timeoutSeconds > queue.visibilityTimeoutSeconds) {
    throw new RangeError(
      `timeoutSeconds is ${timeoutSeconds} but the queue hides a message for ${queue.visibilityTimeoutSeconds} seconds; give the queue a visibility timeout of at least the function's timeout, better six times as long`,
    );
  }
  return {
    workers,
    batchSize,
    windowMillis: batchingWindowSeconds * 1_000,
    reportBatchItemFailures: options.reportBatchItemFailures ?? true,
    duplicate: options.duplicate ?? (() => undefined),
    report: options.onEvent ?? (() => {}),
    program: {
      handler: findHandler(options.handler),
      timeoutMillis: timeoutSeconds * 1_000,
      region: options.aws.region,
      env: { ...options.aws.env, ...options.env },
    },
  };
}
