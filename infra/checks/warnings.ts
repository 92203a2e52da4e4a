import { Validations } from 'aws-cdk-lib';
import { durationInWords } from '../../lib/window.ts';
import type { IdempotentConsumerProps } from '../consumer-props.ts';
import { type ConsumerParts, windowOf } from './consumer-wiring.ts';
import { functionBehind, functionSettings, longestFunctionTimeoutSeconds } from './function-settings.ts';
import { queueSettings } from './queue-settings.ts';
import { known, knownSeconds } from './resolved.ts';
import { leastMaxReceiveCount, leastVisibilityTimeoutSeconds } from './sums.ts';

/** Says at synth what cannot be checked, and what works but will surprise. Each can be acknowledged by its id. */
export function warnOf(parts: ConsumerParts, props: IdempotentConsumerProps): void {
  const validations = Validations.of(parts);
  const warn = (id: string, message: string | undefined): void => {
    if (message !== undefined) validations.addWarning(`sqs-once:${id}`, message);
  };
  warn('foreignQueue', foreignQueue(parts, props));
  warn('foreignDeadLetterQueue', foreignDeadLetterQueue(parts));
  warn('foreignFunction', foreignFunction(parts));
  warn('effectKeyLifetime', effectKeyLifetime(parts, props));
  warn('deadLetterTimeLeft', deadLetterTimeLeft(parts));
}

function foreignQueue(parts: ConsumerParts, props: IdempotentConsumerProps): string | undefined {
  if (queueSettings(parts.queue) !== undefined) return undefined;
  const functionTimeoutSeconds =
    functionSettings(parts.function)?.timeoutSeconds ?? longestFunctionTimeoutSeconds;
  const batchingWindowSeconds = knownSeconds(props.maxBatchingWindow) ?? 0;
  const visibility = leastVisibilityTimeoutSeconds({ functionTimeoutSeconds, batchingWindowSeconds });
  const receives = leastMaxReceiveCount({
    fifo: parts.queue.fifo,
    maxAttempts: known(props.maxAttempts),
    batchSize: known(props.batchSize),
  });
  const told =
    props.maxReceiveCount === undefined
      ? '; and give maxReceiveCount as it is set there, so that the last delivery is parked with its reason'
      : '';
  return (
    `the queue ${parts.queue.node.path} is not part of this app: check that its visibility timeout is at least ${visibility} s, ` +
    `its maxReceiveCount at least ${receives} and its redrive policy names ${parts.deadLetterQueue.node.path}${told}`
  );
}

function foreignDeadLetterQueue(parts: ConsumerParts): string | undefined {
  if (queueSettings(parts.deadLetterQueue) !== undefined) return undefined;
  return (
    `the dead-letter queue ${parts.deadLetterQueue.node.path} is not part of this app: check that it keeps messages ` +
    'for 14 days (1209600 s), at least as long as the source queue'
  );
}

function foreignFunction(parts: ConsumerParts): string | undefined {
  if (functionBehind(parts.function) !== undefined) return undefined;
  const rights =
    parts.function.role === undefined
      ? ', let its role read and delete from the queue, send to the dead-letter queue and write claims'
      : '';
  return (
    `the function ${parts.function.node.path} is not part of this app: set its SQS_ONCE_TABLE, SQS_ONCE_QUEUE_URL, ` +
    'SQS_ONCE_DLQ_URL, SQS_ONCE_RETENTION_SECONDS, SQS_ONCE_MAX_RECEIVE_COUNT and SQS_ONCE_PARTIAL_RESPONSES=true yourself' +
    rights +
    ", and check that 6 × its timeout + the batching window is at most the queue's visibility timeout"
  );
}

function effectKeyLifetime(parts: ConsumerParts, props: IdempotentConsumerProps): string | undefined {
  const lifetime = knownSeconds(props.effectKeyLifetime);
  const window = windowOf(parts, props);
  if (lifetime === undefined || lifetime >= window.seconds) return undefined;
  return (
    `the provider remembers effect keys for ${durationInWords(lifetime)}, but SQS can deliver a message again for ` +
    `${durationInWords(window.seconds)}: ${window.explanation}. Pass lifetimeSeconds: ${lifetime} to attempt.effectKey: an attempt later than ` +
    'that parks instead of doing the effect twice; look the state up at the provider before you redrive it'
  );
}

const day = 86_400;

function deadLetterTimeLeft(parts: ConsumerParts): string | undefined {
  const source = queueSettings(parts.queue)?.retentionSeconds;
  const deadLetter = queueSettings(parts.deadLetterQueue)?.retentionSeconds;
  // A FIFO message's clock starts anew in the dead-letter queue: it always has all of its time there.
  if (source === undefined || deadLetter === undefined || parts.queue.fifo) return undefined;
  const left = deadLetter - source;
  if (left < 0 || left >= day) return undefined;
  return (
    `a message that SQS moves on its last day has only ${durationInWords(left)} left in the dead-letter queue: ` +
    `${durationInWords(deadLetter)} there − ${durationInWords(source)} in the queue, on one clock; ` +
    'give the source queue a shorter retentionPeriod, so that a person has days'
  );
}
