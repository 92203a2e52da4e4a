import type { IdempotentConsumerProps } from '../consumer-props.ts';
import { queueSettings } from './queue-settings.ts';
import { refuseCommon } from './refuse-function.ts';
import { refuseShapes } from './refuse-shapes.ts';
import { refuseReceives } from './refuse-wiring.ts';
import { known, knownSeconds } from './resolved.ts';
import { leastMaxReceiveCount, mostReceives } from './sums.ts';

/** Why these props cannot work, before anything is made from them: each the value got and the value allowed. */
export function refuseProps(props: IdempotentConsumerProps): string[] {
  const shapes = refuseShapes(props, durations);
  if (shapes.length > 0) return shapes;
  return [
    ...refuseCommon(props),
    ...refuseQueue(props),
    ...refuseQueueName(props),
    ...refuseReceives(known(props.maxReceiveCount)),
    ...refuseBatches(props),
    ...refuseConcurrency(props),
    ...refuseAttempts(props),
    ...refuseClaim(props),
  ];
}

const durations = [
  'timeout',
  'visibilityTimeout',
  'retentionPeriod',
  'deliveryDelay',
  'deadLetterRetentionPeriod',
  'maxBatchingWindow',
  'retention',
  'effectKeyLifetime',
  'stalledAfter',
] as const;

/** Props that say how to make what is given ready-made would be lost in silence. */
const queueProps = [
  'fifo',
  'queueName',
  'visibilityTimeout',
  'retentionPeriod',
  'deliveryDelay',
  'encryptionKey',
  'deadLetterRetentionPeriod',
] as const;

function refuseQueue(props: IdempotentConsumerProps): string[] {
  const { queue } = props;
  if (queue === undefined) return [];
  const seen = queueSettings(queue) !== undefined;
  return [...queueProps, ...(seen ? (['maxReceiveCount'] as const) : [])]
    .filter((name) => props[name] !== undefined)
    .map((name) => `${name} is given beside queue; set it where that queue is made`);
}

/** By such a name the CDK makes the source queue FIFO, and the dead-letter queue and our sums would not know. */
function refuseQueueName(props: IdempotentConsumerProps): string[] {
  const queueName = known(props.queueName);
  if (props.queue || props.fifo === true || queueName?.endsWith('.fifo') !== true) return [];
  return [`queueName is ${JSON.stringify(queueName)} without fifo; give fifo: true, or a name without .fifo`];
}

function refuseBatches(props: IdempotentConsumerProps): string[] {
  const refusals: string[] = [];
  const fifo = props.queue?.fifo ?? props.fifo ?? false;
  const batchSize = known(props.batchSize);
  const windowSeconds = knownSeconds(props.maxBatchingWindow);
  if (fifo && props.maxBatchingWindow !== undefined) {
    refusals.push(
      'maxBatchingWindow is given and the queue is FIFO; leave it out: Lambda does not gather batches of FIFO queues',
    );
  }
  if (windowSeconds !== undefined && windowSeconds > 300) {
    refusals.push(
      `maxBatchingWindow is ${windowSeconds} s; give at most 300 s, the longest Lambda gathers a batch`,
    );
  }
  if (batchSize === undefined) return refusals;
  const most = fifo ? 10 : 10_000;
  if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > most) {
    refusals.push(
      `batchSize is ${batchSize}; give a whole number from 1 to ${most}${fifo ? ', the most a FIFO queue hands out' : ''}`,
    );
  } else if (batchSize > 10 && (props.maxBatchingWindow === undefined || windowSeconds === 0)) {
    refusals.push(
      `batchSize is ${batchSize} without maxBatchingWindow; give a window of at least 1 s, or at most 10 messages`,
    );
  }
  return refusals;
}

function refuseConcurrency(props: IdempotentConsumerProps): string[] {
  const maxConcurrency = known(props.maxConcurrency);
  const refusals: string[] = [];
  if (
    maxConcurrency !== undefined &&
    (!Number.isInteger(maxConcurrency) || maxConcurrency < 2 || maxConcurrency > 1_000)
  ) {
    const advice =
      maxConcurrency === 1 ? '; for one message at a time use a FIFO queue with a single group' : '';
    refusals.push(
      `maxConcurrency is ${maxConcurrency}; give a whole number from 2 to 1000, as Lambda asks${advice}`,
    );
  }
  if (props.provisionedPollers && props.maxConcurrency !== undefined) {
    refusals.push('maxConcurrency and provisionedPollers are both given; give one: Lambda refuses the pair');
  }
  return refusals;
}

function refuseAttempts(props: IdempotentConsumerProps): string[] {
  const refusals: string[] = [];
  const maxAttempts = known(props.maxAttempts);
  const redrives = known(props.redrives);
  const least = leastMaxReceiveCount({
    fifo: props.fifo ?? false,
    maxAttempts,
    batchSize: known(props.batchSize),
  });
  if (maxAttempts !== undefined && (!Number.isInteger(maxAttempts) || maxAttempts < 1)) {
    refusals.push(`maxAttempts is ${maxAttempts}; give a whole number, at least 1`);
  } else if (least > mostReceives) {
    refusals.push(
      `maxAttempts is ${maxAttempts}, which needs a maxReceiveCount of ${least}; give fewer: SQS counts to ${mostReceives}`,
    );
  }
  if (redrives !== undefined && (!Number.isInteger(redrives) || redrives < 0)) {
    refusals.push(`redrives is ${redrives}; give a whole number, at least 0`);
  }
  return refusals;
}

/** A program without types, or a value of the environment, may hand in any text. */
function refuseClaim(props: IdempotentConsumerProps): string[] {
  const claim: string | undefined = known(props.claim);
  if (claim === undefined || claim === 'first' || claim === 'with-commit') return [];
  return [`claim is ${JSON.stringify(claim)}; give 'first' or 'with-commit'`];
}
