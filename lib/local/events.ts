import type { SqsRecord } from '../arrive/record.ts';

/** One message on its way to a worker. */
export interface Delivery {
  readonly record: SqsRecord;
  /** Whether the runner delivers it a second time on purpose. */
  readonly duplicated: boolean;
}

/** An error of another process. */
export interface RemoteError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** Why a whole batch went back to the queue. */
export type FailureReason =
  /** The handler threw. */
  | 'threw'
  /** Its answer could not be understood. */
  | 'malformed'
  /** The function ran out of time and was killed. */
  | 'timed-out'
  /** Its process ended in the middle. */
  | 'died';

interface Invocation {
  /** The worker's number, from 0. */
  readonly worker: number;
  /** Lambda's request id, the same in all events of one invocation. */
  readonly requestId: string;
}

/** What a runner tells while it runs. */
export type RunnerEvent =
  /** A worker process has loaded the handler and waits for messages. */
  | { readonly type: 'worker-ready'; readonly worker: number; readonly pid: number }
  /** A worker process has ended; a fresh one takes its place unless the runner stops. */
  | {
      readonly type: 'worker-ended';
      readonly worker: number;
      readonly pid: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    }
  /** A fresh worker could not load the handler; another is tried soon. */
  | { readonly type: 'worker-broken'; readonly worker: number; readonly error: Error }
  /** The runner itself killed, stopped or continued a worker, because it was asked to. */
  | { readonly type: 'signalled'; readonly worker: number; readonly signal: NodeJS.Signals }
  /** A batch is with a worker. */
  | (Invocation & { readonly type: 'delivered'; readonly deliveries: readonly Delivery[] })
  /** The handler answered; what it did not list is deleted from the queue. */
  | (Invocation & {
      readonly type: 'answered';
      readonly durationMillis: number;
      readonly acknowledged: readonly Delivery[];
      readonly returned: readonly Delivery[];
    })
  /** The whole batch goes back to the queue. */
  | (Invocation & {
      readonly type: 'failed';
      readonly durationMillis: number;
      readonly reason: FailureReason;
      readonly error?: RemoteError;
      readonly returned: readonly Delivery[];
    })
  /** A line a worker printed. */
  | {
      readonly type: 'output';
      readonly worker: number;
      readonly stream: 'stdout' | 'stderr';
      readonly line: string;
    }
  /** A message `{ type: 'sqs-once', … }` the worker sent with `process.send`. */
  | { readonly type: 'step'; readonly worker: number; readonly step: StepMessage }
  /** The queue could not be reached; the runner tries again. */
  | { readonly type: 'trouble'; readonly error: Error };

/** What code inside a worker and whoever watches the runner may say to each other. */
export interface StepMessage {
  readonly type: 'sqs-once';
  readonly [name: string]: unknown;
}

export type Report = (event: RunnerEvent) => void;
