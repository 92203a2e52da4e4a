import { durationInWords, type RedeliveryWindow } from '../../lib/window.ts';
import {
  defaults,
  leastMaxReceiveCount,
  leastVisibilityTimeoutSeconds,
  longestVisibilitySeconds,
  mostReceives,
} from './sums.ts';

/** A consumer's numbers as CloudFormation will get them; undefined where a token or another app hides one. */
export interface Wiring {
  readonly fifo: boolean;
  readonly deadLetterFifo: boolean;
  readonly functionTimeoutSeconds: number | undefined;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly batchingWindowSeconds: number | undefined;
  readonly batchSize: number | undefined;
  /** Whether the source queue's redrive policy names the dead-letter queue. */
  readonly redrive: 'names-it' | 'names-another' | 'missing' | 'unknown';
  readonly maxReceiveCount: number | undefined;
  readonly maxAttempts: number | undefined;
  readonly retentionSeconds: number | undefined;
  readonly deadLetterRetentionSeconds: number | undefined;
  readonly claimRetentionSeconds: number | undefined;
  readonly window: RedeliveryWindow;
  readonly leaseSeconds: number | undefined;
  readonly reservedConcurrentExecutions: number | undefined;
  readonly maxConcurrency: number | undefined;
  /** Whether `maxConcurrency` was given, as a number or as a token. */
  readonly concurrencyBounded: boolean;
}

/** Why a consumer wired like this loses or repeats messages: each the value got, the value allowed and the sum. */
export function refuseWiring(wiring: Wiring): string[] {
  return [
    ...refuseTypes(wiring),
    ...refuseVisibility(wiring),
    ...refuseLease(wiring),
    ...refuseRedrive(wiring),
    ...refuseDeadLetterRetention(wiring),
    ...refuseClaimRetention(wiring),
    ...refuseReserved(wiring),
  ];
}

function refuseTypes({ fifo, deadLetterFifo }: Wiring): string[] {
  if (fifo === deadLetterFifo) return [];
  const name = (isFifo: boolean): string => (isFifo ? 'FIFO' : 'standard');
  return [
    `the queue is ${name(fifo)} and its dead-letter queue is ${name(deadLetterFifo)}; make both ${name(fifo)}: SQS moves messages between queues of one type only`,
  ];
}

function refuseVisibility(wiring: Wiring): string[] {
  const { functionTimeoutSeconds, batchingWindowSeconds, visibilityTimeoutSeconds } = wiring;
  if (functionTimeoutSeconds === undefined || batchingWindowSeconds === undefined) return [];
  const least = leastVisibilityTimeoutSeconds({ functionTimeoutSeconds, batchingWindowSeconds });
  const sum = `6 × the function's timeout of ${functionTimeoutSeconds} s + ${batchingWindowSeconds} s of batching window`;
  if (least > longestVisibilitySeconds) {
    return [
      `the visibility timeout must be ${sum} = ${least} s, but SQS hides a message for at most ${longestVisibilitySeconds} s; ` +
        `give the function at most ${Math.floor((longestVisibilitySeconds - batchingWindowSeconds) / 6)} s`,
    ];
  }
  if (visibilityTimeoutSeconds === undefined || visibilityTimeoutSeconds >= least) return [];
  return [
    `the visibility timeout is ${visibilityTimeoutSeconds} s; give at least ${least} s: ${sum}, ` +
      'so that a message is not handed out again while its function still runs',
  ];
}

function refuseLease({ leaseSeconds, visibilityTimeoutSeconds }: Wiring): string[] {
  if (leaseSeconds === undefined || visibilityTimeoutSeconds === undefined) return [];
  if (leaseSeconds <= visibilityTimeoutSeconds) return [];
  return [
    `leaseSeconds is ${leaseSeconds}; give at most ${visibilityTimeoutSeconds}, the queue's visibility timeout: ` +
      'a message that comes back must not wait for the claim of a worker that died',
  ];
}

function refuseRedrive(wiring: Wiring): string[] {
  const {
    redrive,
    maxReceiveCount,
    fifo,
    maxAttempts = defaults.maxAttempts,
    batchSize = defaults.batchSize,
  } = wiring;
  if (redrive === 'missing') {
    return [
      'the queue has no redrive policy; give it a deadLetterQueue: without one a message that crashes its worker comes back for ever',
    ];
  }
  if (redrive === 'names-another') {
    return [
      "deadLetterQueue is not the queue that the source queue's redrive policy names; give the same one, so that nobody has to watch two",
    ];
  }
  const outOfRange = refuseReceives(maxReceiveCount);
  if (outOfRange.length > 0) return outOfRange;
  const least = leastMaxReceiveCount({ fifo, maxAttempts, batchSize });
  if (maxReceiveCount === undefined || maxReceiveCount >= least) return [];
  const sum =
    least === 3 * maxAttempts
      ? `3 × maxAttempts of ${maxAttempts}, because throttled calls and bounced duplicates cost receives too`
      : `maxAttempts of ${maxAttempts} × batchSize of ${batchSize}, because each failure of a group's head returns its followers`;
  return [`maxReceiveCount is ${maxReceiveCount}; give at least ${least}: ${sum}`];
}

/** SQS's own range, asked of the prop at once and of any other queue at synth. */
export function refuseReceives(maxReceiveCount: number | undefined): string[] {
  if (maxReceiveCount === undefined) return [];
  if (Number.isInteger(maxReceiveCount) && maxReceiveCount >= 1 && maxReceiveCount <= mostReceives) return [];
  return [
    `maxReceiveCount is ${maxReceiveCount}; give a whole number from 1 to ${mostReceives}, what SQS counts to`,
  ];
}

function refuseDeadLetterRetention(wiring: Wiring): string[] {
  const { fifo, retentionSeconds, deadLetterRetentionSeconds } = wiring;
  if (retentionSeconds === undefined || deadLetterRetentionSeconds === undefined) return [];
  if (deadLetterRetentionSeconds >= retentionSeconds) return [];
  const clock = fifo
    ? "a FIFO message's clock starts anew there, and a person should have no less time than the consumer had"
    : 'a standard message keeps its clock, so one that was moved late would be deleted as it arrives';
  return [
    `the dead-letter queue keeps messages for ${durationInWords(deadLetterRetentionSeconds)}; give at least ` +
      `${durationInWords(retentionSeconds)}, as long as the source queue, better 14 days: ${clock}`,
  ];
}

function refuseClaimRetention({ claimRetentionSeconds, window }: Wiring): string[] {
  if (claimRetentionSeconds === undefined || claimRetentionSeconds >= window.seconds) return [];
  return [
    `retention is ${durationInWords(claimRetentionSeconds)}; give at least ${durationInWords(window.seconds)}, ` +
      `because SQS can deliver a message that long after its claim: ${window.explanation}`,
  ];
}

function refuseReserved(wiring: Wiring): string[] {
  const { reservedConcurrentExecutions: reserved, maxConcurrency } = wiring;
  if (reserved === undefined) return [];
  if (reserved < 2) {
    return [
      `reservedConcurrentExecutions is ${reserved}; give at least 2, the least maxConcurrency can be, or leave it out: ` +
        'messages Lambda cannot start lose receives; for one at a time use a FIFO queue with a single group',
    ];
  }
  if (!wiring.concurrencyBounded) {
    return [
      `reservedConcurrentExecutions is ${reserved} without maxConcurrency; give maxConcurrency from 2 to ${reserved}: ` +
        'Lambda reads more messages than the function may start, and those lose receives',
    ];
  }
  if (maxConcurrency === undefined || maxConcurrency <= reserved) return [];
  return [
    `maxConcurrency is ${maxConcurrency} and reservedConcurrentExecutions ${reserved}; give maxConcurrency at most ${reserved}: ` +
      'Lambda refuses the pair',
  ];
}
