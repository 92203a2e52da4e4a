import { defaults, leastMaxReceiveCount, leastVisibilityTimeoutSeconds } from '../../infra/checks/sums.ts';
import { durationInWords, longestQueueRetentionSeconds } from '../window.ts';
import { type Facts, type QueueFacts, seen } from './facts.ts';
import { error, type Finding, warning } from './finding.ts';

/** The queue against its function, and the dead-letter queue against the queue. */
export function checkQueues(facts: Facts): Finding[] {
  if (facts.queue.status === 'missing') {
    return [
      error('queue-missing', {
        what: 'the queue does not exist',
        why: 'nothing can arrive',
        fix: 'check its name, the Region and the account',
      }),
    ];
  }
  const queue = seen(facts.queue);
  if (queue === undefined) return [];
  return [
    ...checkVisibility(queue, facts),
    ...checkReceives(queue, facts),
    ...checkDeadLetterQueue(queue, facts),
  ];
}

function checkVisibility(queue: QueueFacts, facts: Facts): Finding[] {
  const fn = seen(facts.function);
  const lease = Number(fn?.environment.SQS_ONCE_LEASE_SECONDS ?? 0);
  const findings: Finding[] = [];
  if (fn !== undefined) {
    const batchingWindowSeconds = seen(facts.mapping)?.batchingWindowSeconds ?? 0;
    const least = leastVisibilityTimeoutSeconds({
      functionTimeoutSeconds: fn.timeoutSeconds,
      batchingWindowSeconds,
    });
    if (queue.visibilityTimeoutSeconds < least) {
      findings.push(
        error('visibility-too-short', {
          what: `the queue hides a message for ${queue.visibilityTimeoutSeconds} s`,
          why: `6 × the function's timeout of ${fn.timeoutSeconds} s + ${batchingWindowSeconds} s of window is ${least} s; sooner, SQS hands out messages whose function still runs`,
          fix: `set VisibilityTimeout to at least ${least}`,
        }),
      );
    }
  }
  if (lease > queue.visibilityTimeoutSeconds) {
    findings.push(
      error('lease-outlives-visibility', {
        what: `SQS_ONCE_LEASE_SECONDS is ${lease}, the visibility timeout ${queue.visibilityTimeoutSeconds} s`,
        why: 'a message that comes back would wait for the claim of a worker that died',
        fix: `give at most ${queue.visibilityTimeoutSeconds}`,
      }),
    );
  }
  return findings;
}

function checkReceives(queue: QueueFacts, facts: Facts): Finding[] {
  if (queue.redrive === undefined) {
    return [
      error('redrive-missing', {
        what: 'the queue has no redrive policy',
        why: 'a message that crashes its worker comes back until it expires, and there is nowhere to park',
        fix: 'give it a dead-letter queue of the same type',
      }),
    ];
  }
  const { maxReceiveCount } = queue.redrive;
  const environment = seen(facts.function)?.environment ?? {};
  const maxAttempts = Number(environment.SQS_ONCE_MAX_ATTEMPTS ?? defaults.maxAttempts);
  const batchSize = seen(facts.mapping)?.batchSize;
  const least = leastMaxReceiveCount({ fifo: queue.fifo, maxAttempts, batchSize });
  const told = environment.SQS_ONCE_MAX_RECEIVE_COUNT;
  const findings: Finding[] = [];
  if (maxReceiveCount < least) {
    findings.push(
      error('receives-too-few', {
        what: `the queue's maxReceiveCount is ${maxReceiveCount}`,
        why: `throttled calls and bounced duplicates cost receives too; ${maxAttempts} attempts need ${least}, or SQS moves messages away that were never tried`,
        fix: `set maxReceiveCount to at least ${least}`,
      }),
    );
  }
  if (told !== undefined && Number(told) !== maxReceiveCount) {
    findings.push(
      error('receives-disagree', {
        what: `SQS_ONCE_MAX_RECEIVE_COUNT is ${told}, the queue's maxReceiveCount ${maxReceiveCount}`,
        why: 'the last delivery is not recognised, so a failing message is dead-lettered without its reason',
        fix: `set SQS_ONCE_MAX_RECEIVE_COUNT to ${maxReceiveCount}`,
      }),
    );
  }
  return findings;
}

function checkDeadLetterQueue(queue: QueueFacts, facts: Facts): Finding[] {
  if (queue.redrive === undefined) return [];
  if (facts.deadLetterQueue.status === 'missing') {
    return [
      error('dead-letter-queue-missing', {
        what: `the redrive policy names ${queue.redrive.targetArn}, which does not exist`,
        why: 'messages that cannot succeed are parked nowhere and come back until they expire',
        fix: 'create it, or name another in the redrive policy',
      }),
    ];
  }
  const dead = seen(facts.deadLetterQueue);
  if (dead === undefined) return [];
  return [
    ...checkDeadLetterUrl(dead, facts),
    ...checkTypes(queue, dead),
    ...checkTime(queue, dead),
    ...checkWaiting(dead),
  ];
}

function checkDeadLetterUrl(dead: QueueFacts, facts: Facts): Finding[] {
  const url = seen(facts.function)?.environment.SQS_ONCE_DLQ_URL;
  if (url === undefined || url.split('/').at(-1) === dead.name) return [];
  return [
    error('dead-letter-queues-disagree', {
      what: `SQS_ONCE_DLQ_URL names ${url.split('/').at(-1)}, the redrive policy ${dead.name}`,
      why: 'parked messages lie in one queue and dead-lettered ones in another; somebody watches only one',
      fix: 'name the same queue in both',
    }),
  ];
}

function checkTypes(queue: QueueFacts, dead: QueueFacts): Finding[] {
  if (queue.fifo === dead.fifo) return [];
  const typeOf = ({ fifo }: QueueFacts) => (fifo ? 'FIFO' : 'standard');
  return [
    error('queue-types-differ', {
      what: `the queue is ${typeOf(queue)}, its dead-letter queue ${typeOf(dead)}`,
      why: 'SQS moves messages between queues of one type only',
      fix: `make both ${typeOf(queue)}`,
    }),
  ];
}

function checkTime(queue: QueueFacts, dead: QueueFacts): Finding[] {
  const kept = durationInWords(dead.retentionSeconds);
  if (dead.retentionSeconds < queue.retentionSeconds) {
    return [
      error('dead-letter-retention-too-short', {
        what: `the dead-letter queue keeps messages for ${kept}, the queue for ${durationInWords(queue.retentionSeconds)}`,
        why: 'a standard message keeps its clock, so one that was moved late is deleted as it arrives',
        fix: 'set its MessageRetentionPeriod to 1209600, 14 days',
      }),
    ];
  }
  if (dead.retentionSeconds >= longestQueueRetentionSeconds) return [];
  return [
    warning('dead-letter-retention-short', {
      what: `the dead-letter queue keeps messages for ${kept}`,
      why: 'that is how long a person has, less what the message spent in the queue',
      fix: 'set its MessageRetentionPeriod to 1209600, 14 days',
    }),
  ];
}

function checkWaiting({ waiting, name }: QueueFacts): Finding[] {
  if (waiting === 0) return [];
  return [
    warning('dead-letters-waiting', {
      what: `messages wait in ${name}: about ${waiting}`,
      why: 'they expire there, and nothing tries them again by itself',
      fix: `sqs-once dlq list ${name}`,
    }),
  ];
}
