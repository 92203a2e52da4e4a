import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../lib/errors.ts';
import { functionSettings, longestFunctionTimeoutSeconds } from './checks/function-settings.ts';
import { known, knownSeconds } from './checks/resolved.ts';
import { leastMaxReceiveCount, leastVisibilityTimeoutSeconds } from './checks/sums.ts';
import type { IdempotentConsumerProps } from './consumer-props.ts';

/** Ten times the attempts a message gets: room for receives that are no attempts. */
const usualMaxReceiveCount = 50;

export interface QueuePair {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/** The two queues: yours where given, made where not. */
export function queuePair(scope: Construct, props: IdempotentConsumerProps, fn: IFunction): QueuePair {
  if (props.queue) return { queue: props.queue, deadLetterQueue: deadLetterQueueOf(props.queue, props) };
  const deadLetterQueue = props.deadLetterQueue ?? madeDeadLetterQueue(scope, props);
  return { queue: madeQueue(scope, props, fn, deadLetterQueue), deadLetterQueue };
}

function deadLetterQueueOf(queue: IQueue, props: IdempotentConsumerProps): IQueue {
  const own = queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;
  const deadLetterQueue = props.deadLetterQueue ?? own;
  if (deadLetterQueue === undefined) {
    throw new ConfigurationError(
      `queue is ${queue.node.path}, which has no dead-letter queue that can be seen; ` +
        'give deadLetterQueue, the queue its redrive policy names',
    );
  }
  return deadLetterQueue;
}

function madeDeadLetterQueue(scope: Construct, props: IdempotentConsumerProps): Queue {
  return new Queue(scope, 'DeadLetterQueue', {
    ...sharedProps(props),
    // A standard queue's clock keeps running in the dead-letter queue, so only the longest leaves a person time.
    retentionPeriod: props.deadLetterRetentionPeriod ?? Duration.days(14),
  });
}

function madeQueue(
  scope: Construct,
  props: IdempotentConsumerProps,
  fn: IFunction,
  deadLetterQueue: IQueue,
): Queue {
  return new Queue(scope, 'Queue', {
    ...sharedProps(props),
    visibilityTimeout: props.visibilityTimeout ?? derivedVisibilityTimeout(props, fn),
    retentionPeriod: props.retentionPeriod ?? Duration.days(4),
    deadLetterQueue: {
      queue: deadLetterQueue,
      maxReceiveCount: props.maxReceiveCount ?? derivedMaxReceiveCount(props),
    },
    ...(props.queueName !== undefined && { queueName: props.queueName }),
    ...(props.deliveryDelay && { deliveryDelay: props.deliveryDelay }),
  });
}

function sharedProps(props: IdempotentConsumerProps): QueueProps {
  return {
    enforceSSL: true,
    ...(props.encryptionKey
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: props.encryptionKey }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    ...(props.fifo === true && { fifo: true }),
  };
}

function derivedVisibilityTimeout(props: IdempotentConsumerProps, fn: IFunction): Duration {
  const functionTimeoutSeconds = functionSettings(fn)?.timeoutSeconds ?? longestFunctionTimeoutSeconds;
  const batchingWindowSeconds = props.maxBatchingWindow ? (knownSeconds(props.maxBatchingWindow) ?? 300) : 0;
  return Duration.seconds(leastVisibilityTimeoutSeconds({ functionTimeoutSeconds, batchingWindowSeconds }));
}

function derivedMaxReceiveCount(props: IdempotentConsumerProps): number {
  const least = leastMaxReceiveCount({
    fifo: props.fifo ?? false,
    maxAttempts: known(props.maxAttempts),
    batchSize: known(props.batchSize),
  });
  return Math.max(usualMaxReceiveCount, least);
}
