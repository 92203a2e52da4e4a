import { Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import {
  fullDays,
  longestQueueRetentionSeconds,
  type RedeliveryWindow,
  redeliveryWindow,
} from '../../lib/window.ts';
import type { IdempotentConsumerProps } from '../consumer-props.ts';
import { functionSettings } from './function-settings.ts';
import { type QueueSettings, queueSettings } from './queue-settings.ts';
import type { Wiring } from './refuse-wiring.ts';
import { known, knownSeconds } from './resolved.ts';

/** A consumer's parts, for whoever reads their settings. */
export interface ConsumerParts extends IConstruct {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly function: IFunction;
}

/** The consumer's numbers as they stand now. Asked at synth, they are the ones CloudFormation gets. */
export function wiringOf(parts: ConsumerParts, props: IdempotentConsumerProps): Wiring {
  const fn = functionSettings(parts.function);
  const source = queueSettings(parts.queue);
  const deadLetter = queueSettings(parts.deadLetterQueue);
  return {
    fifo: parts.queue.fifo,
    deadLetterFifo: parts.deadLetterQueue.fifo,
    functionTimeoutSeconds: fn?.timeoutSeconds,
    visibilityTimeoutSeconds: source?.visibilityTimeoutSeconds,
    batchingWindowSeconds: props.maxBatchingWindow ? knownSeconds(props.maxBatchingWindow) : 0,
    batchSize: known(props.batchSize),
    redrive: redriveOf(parts, source),
    maxReceiveCount: source ? source.redrive?.maxReceiveCount : known(props.maxReceiveCount),
    maxAttempts: known(props.maxAttempts),
    retentionSeconds: source?.retentionSeconds,
    deadLetterRetentionSeconds: deadLetter?.retentionSeconds,
    claimRetentionSeconds: knownSeconds(props.retention),
    window: windowOf(parts, props),
    leaseSeconds: known(props.leaseSeconds),
    reservedConcurrentExecutions: fn?.reservedConcurrentExecutions,
    maxConcurrency: known(props.maxConcurrency),
    concurrencyBounded: props.maxConcurrency !== undefined,
  };
}

/** How long SQS can deliver a message again; what cannot be seen is taken as the longest SQS allows. */
export function windowOf(parts: ConsumerParts, props: IdempotentConsumerProps): RedeliveryWindow {
  const source = queueSettings(parts.queue);
  const deadLetter = queueSettings(parts.deadLetterQueue);
  return redeliveryWindow({
    retentionSeconds: source?.retentionSeconds ?? longestQueueRetentionSeconds,
    deadLetterRetentionSeconds: deadLetter?.retentionSeconds ?? longestQueueRetentionSeconds,
    fifo: parts.queue.fifo,
    redrives: known(props.redrives) ?? 1,
    ...(source?.delaySeconds !== undefined && { delaySeconds: source.delaySeconds }),
    ...(source?.visibilityTimeoutSeconds !== undefined && {
      visibilityTimeoutSeconds: source.visibilityTimeoutSeconds,
    }),
  });
}

/** How long this consumer's claims are kept; what is asked for may be a token. */
export function claimRetentionSeconds(parts: ConsumerParts, props: IdempotentConsumerProps): number {
  return props.retention?.toSeconds() ?? fullDays(windowOf(parts, props).seconds);
}

function redriveOf(parts: ConsumerParts, source: QueueSettings | undefined): Wiring['redrive'] {
  if (source === undefined) return 'unknown';
  if (source.redrive === undefined) return 'missing';
  const expected: unknown = Stack.of(parts.queue).resolve(parts.deadLetterQueue.queueArn);
  return source.redrive.target === JSON.stringify(expected) ? 'names-it' : 'names-another';
}
