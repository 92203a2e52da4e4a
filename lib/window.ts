const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** The longest SQS keeps a message: 14 days. */
export const longestQueueRetentionSeconds = 14 * day;
/** The longest SQS delays a message: 15 minutes. */
export const longestDelaySeconds = 15 * minute;
/** The longest SQS hides a received message: 12 hours. */
export const longestVisibilityTimeoutSeconds = 12 * hour;

/** The queues whose redelivery window is asked for. */
export interface RedeliveryPath {
  /** How long the source queue keeps a message, in seconds. */
  readonly retentionSeconds: number;
  /** How long the dead-letter queue keeps a message, in seconds. */
  readonly deadLetterRetentionSeconds: number;
  /** Whether the two are FIFO queues, where a message's clock starts anew in the dead-letter queue. */
  readonly fifo: boolean;
  /** How many times a message may be brought back from the dead-letter queue. */
  readonly redrives: number;
  /**
   * How long a message may be delayed, in seconds.
   * @default 900, the longest SQS allows
   */
  readonly delaySeconds?: number;
  /**
   * How long a received message stays hidden, in seconds.
   * @default 43200, the longest SQS allows
   */
  readonly visibilityTimeoutSeconds?: number;
}

export interface RedeliveryWindow {
  readonly seconds: number;
  /** The sum in words, for errors and for people. */
  readonly explanation: string;
}

/**
 * The longest time after which SQS can still deliver a message again: a claim that is forgotten sooner lets
 * its message run twice.
 *
 * @example
 * ```ts
 * const day = 86_400;
 * redeliveryWindow({ retentionSeconds: 4 * day, deadLetterRetentionSeconds: 14 * day, fifo: false, redrives: 1 });
 * // { seconds: 2463300, explanation: '14 days (…) × 2 passes (1 redrive) + 15 minutes … = 28 days 12 hours 15 minutes' }
 * ```
 */
export function redeliveryWindow(path: RedeliveryPath): RedeliveryWindow {
  const { delaySeconds = longestDelaySeconds, visibilityTimeoutSeconds = longestVisibilityTimeoutSeconds } =
    path;
  const passes = path.redrives + 1;
  const seconds = windowSeconds(path);
  const explanation =
    `${passInWords(path)} × ${counted(passes, 'pass', 'passes')} (${counted(path.redrives, 'redrive', 'redrives')})` +
    ` + ${durationInWords(delaySeconds)} of delay + ${durationInWords(visibilityTimeoutSeconds)} of visibility timeout` +
    ` = ${durationInWords(seconds)}`;
  return { seconds, explanation };
}

/**
 * How long claims are kept when nobody says otherwise: the longest path SQS allows with one redrive, in full
 * days. 29 days for standard queues, 57 for FIFO queues.
 */
export function defaultRetentionSeconds(fifo: boolean): number {
  return fullDays(
    windowSeconds({
      retentionSeconds: longestQueueRetentionSeconds,
      deadLetterRetentionSeconds: longestQueueRetentionSeconds,
      fifo,
      redrives: 1,
    }),
  );
}

/** Rounds up to full days, which leaves room for clocks that disagree. */
export function fullDays(seconds: number): number {
  return Math.ceil(seconds / day) * day;
}

/** `durationInWords(93_600)` is `1 day 2 hours`. */
export function durationInWords(seconds: number): string {
  const parts = [
    counted(Math.floor(seconds / day), 'day', 'days'),
    counted(Math.floor((seconds % day) / hour), 'hour', 'hours'),
    counted(Math.floor((seconds % hour) / minute), 'minute', 'minutes'),
    counted(seconds % minute, 'second', 'seconds'),
  ].filter((part) => !part.startsWith('0 '));
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

function windowSeconds(path: RedeliveryPath): number {
  const { delaySeconds = longestDelaySeconds, visibilityTimeoutSeconds = longestVisibilityTimeoutSeconds } =
    path;
  return passSeconds(path) * (path.redrives + 1) + delaySeconds + visibilityTimeoutSeconds;
}

/**
 * One trip through the two queues.
 *
 * standard: sent ── source, R ──> dead-letter queue: expires D after it was SENT      max(R, D)
 * FIFO:     sent ── source, R ──> dead-letter queue: expires D after it was MOVED     R + D
 *
 * A redrive makes a new message with a new clock, so each one adds a whole pass.
 */
function passSeconds({ fifo, retentionSeconds, deadLetterRetentionSeconds }: RedeliveryPath): number {
  return fifo
    ? retentionSeconds + deadLetterRetentionSeconds
    : Math.max(retentionSeconds, deadLetterRetentionSeconds);
}

function passInWords(path: RedeliveryPath): string {
  const inSource = durationInWords(path.retentionSeconds);
  const inDeadLetterQueue = durationInWords(path.deadLetterRetentionSeconds);
  return path.fifo
    ? `(${inSource} in the queue + ${inDeadLetterQueue} in the dead-letter queue, where a FIFO message's clock starts anew)`
    : `${durationInWords(passSeconds(path))} (the longer of ${inSource} in the queue and ${inDeadLetterQueue} in the dead-letter queue, where the clock keeps running)`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
