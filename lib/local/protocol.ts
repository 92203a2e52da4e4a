import type { SqsEvent } from '../arrive/record.ts';
import type { RemoteError } from './events.ts';

/** The part of Lambda's context that travels; the worker adds the clock. */
export interface InvocationContext {
  readonly functionName: string;
  readonly functionVersion: '$LATEST';
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
}

/** From the runner to a worker: run the handler once. */
export interface Invoke {
  readonly type: 'runner:invoke';
  readonly event: SqsEvent;
  readonly context: InvocationContext;
  readonly deadlineEpochMillis: number;
}

/** From a worker to the runner. The prefix keeps user code's own messages apart. */
export type WorkerWord =
  | { readonly type: 'runner:ready' }
  | { readonly type: 'runner:refused'; readonly error: RemoteError }
  | { readonly type: 'runner:answered'; readonly json: string }
  | { readonly type: 'runner:threw'; readonly error: RemoteError };
