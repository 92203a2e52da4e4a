import { channel } from 'node:diagnostics_channel';
import { isNamed, toError } from '../errors.ts';
import type { TraceCarrier } from '../words.ts';
import { warnOnce } from './warn-once.ts';

/** What became of a message, or a step on its way. */
export type OnceEventType = OutcomeEventType | StepEventType;

/** What became of a message. A duplicate is never silent. */
export type OutcomeEventType =
  /** The claim is ours; user code is about to run. */
  | 'claimed'
  /** The same, after an attempt whose end is unknown. */
  | 'taken-over'
  /** Another attempt is running: returned until its lease ends. */
  | 'in-flight'
  /** The outcome is recorded already: acknowledged. Reason `parked` is a late redelivery of a parked message. */
  | 'duplicate'
  /** The key was used with another payload. It is told of, and so is the parking, under the hash of that key. */
  | 'key-reused'
  | 'completed'
  /** Out of order: recorded as a no-op, nothing applied. */
  | 'rejected'
  | 'failed'
  /** The handler asked for the message later. */
  | 'deferred'
  | 'parked'
  /** The dead-letter queue did not take the message, or there is none. */
  | 'park-failed'
  /** Another attempt took over; this one wrote nothing. */
  | 'fenced-out'
  /** User code succeeded and the table could not be told: acknowledged all the same. */
  | 'outcome-unrecorded'
  | 'store-unavailable'
  /**
   * Returned before anything was done for it. Reason `with the first of its key`: another copy in the same event
   * was returned or parked. Reason `parking`: another copy is parked, and not yet on the dead-letter queue.
   */
  | 'unstarted'
  | 'follow-up-sent';

/** Steps, for instruments that stop or count at a named point. */
export type StepEventType = 'claiming' | 'starting' | 'settling' | 'parking' | 'sending' | 'answering';

/** What an observer is told. Bodies, receipt handles and raw keys are never part of it. */
export interface OnceEvent {
  readonly type: OnceEventType;
  readonly scope: string;
  /** A hash of scope and key: the same for every delivery of one piece of work. */
  readonly keyHash?: string;
  readonly messageId?: string;
  /** The name of the queue; a request has none. */
  readonly queue?: string;
  /** The number of the attempt, where there is one. */
  readonly attempt?: number;
  readonly fence?: number;
  readonly reason?: string;
  readonly error?: Error;
  /** Where the sender's trace goes on, when it sent one. */
  readonly trace?: TraceCarrier;
}

/** Is told every event. What it throws, or rejects with, harms nothing; the console is told of its class, once. */
export type Observer = (event: OnceEvent) => void;

/**
 * Where every event of every consumer and receiver in this process is published beside the observers it was
 * given: for instruments, which come from outside and get at no options. Node's own channel of that name, so
 * that it is the same for two copies of this package. What a subscriber throws is uncaught, as Node has it.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel';
 *
 * subscribe('sqs-once', (event) => console.log((event as OnceEvent).type));
 * ```
 */
export const eventChannelName = 'sqs-once';

const instruments = channel(eventChannelName);

/** Tells every observer and every instrument; costs nothing when nobody listens. */
export function publish(observers: readonly Observer[], event: () => OnceEvent): void {
  if (observers.length === 0 && !instruments.hasSubscribers) return;
  const told = Object.freeze(event());
  instruments.publish(told);
  for (const observer of observers) {
    try {
      const answer: unknown = observer(told);
      if (typeof answer === 'function') warnOnce(observer, uncalled);
      else if (answer !== undefined) void heard(observer, answer);
    } catch (error) {
      warnOfThrow(observer, error);
    }
  }
}

const uncalled =
  'an observer makes observers and was not called, so nothing is told; call it: observers: [logTo(console), emitMetrics()]';

async function heard(observer: Observer, answer: unknown): Promise<void> {
  try {
    await answer;
  } catch (error) {
    warnOfThrow(observer, error);
  }
}

/**
 * It harms nothing: the message's fate is decided elsewhere. Its text may quote a body, so its class is all that
 * is said.
 */
function warnOfThrow(observer: Observer, error: unknown): void {
  try {
    // What refuses an event as its argument is a function that makes observers.
    const text = isNamed(error, 'ConfigurationError')
      ? uncalled
      : `an observer threw ${classOf(error)}; nothing else is harmed, and it is said once`;
    warnOnce(observer, text);
  } catch {
    // Nor does a console that throws harm anything.
  }
}

/** Of its class, because an error's own `name` may be any text. */
function classOf(error: unknown): string {
  const { name } = toError(error).constructor;
  return typeof name === 'string' && /^[\w$]{1,100}$/.test(name) ? name : 'an error';
}
