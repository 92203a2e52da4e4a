import { types } from 'node:util';
import { type ErrorDetails, hide, named, OnceError } from './once-error.ts';

/** The toolkit was set up in a way that cannot work. The message says what was given and what would do. */
export class ConfigurationError extends OnceError {
  static {
    named(ConfigurationError, 'ConfigurationError');
  }
}

/**
 * This attempt no longer holds its claim: another one took over, or the invocation ran out of time. Nothing
 * it collected is written or sent.
 */
export class FencedOutError extends OnceError {
  static {
    named(FencedOutError, 'FencedOutError');
  }
}

/**
 * The provider may have forgotten the effect key by now and would do the effect again. The message is parked
 * for a person to decide.
 */
export class EffectKeyExpiredError extends OnceError {
  static {
    named(EffectKeyExpiredError, 'EffectKeyExpiredError');
  }
}

/** The key was used before with another payload. */
export class KeyReusedError extends OnceError {
  static {
    named(KeyReusedError, 'KeyReusedError');
  }
}

/** The message has no usable key, so it cannot be protected and does not run. */
export class NoKeyError extends OnceError {
  static {
    named(NoKeyError, 'NoKeyError');
  }
}

/** One of the attempt's own writes whose condition did not hold. */
export interface RejectedCondition {
  /** Place of the write among those the attempt collected, from 0. */
  readonly index: number;
  /** The item that stood there, where the write asked for it. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

/** A condition of the attempt's own writes did not hold, so nothing of the transaction was applied. */
export class TransactionRejectedError extends OnceError {
  /** Place of the first refused write among those the attempt collected, from 0. */
  readonly index: number;
  /** The item that stood there, where the write asked for it. Not enumerable: it is the user's data. */
  declare readonly item: RejectedCondition['item'];
  /** Every refused write, in order, at least one. Not enumerable. */
  declare readonly failures: readonly RejectedCondition[];

  static {
    named(TransactionRejectedError, 'TransactionRejectedError');
  }

  constructor(
    message: string,
    failures: readonly [RejectedCondition, ...RejectedCondition[]],
    details?: ErrorDetails,
  ) {
    super(message, details);
    this.index = failures[0].index;
    hide(this, 'item', failures[0].item);
    hide(this, 'failures', failures);
  }
}

/**
 * Thrown by a handler (or by `parse`) for a message that can never succeed: it is parked at once with this
 * message as the reason, whatever attempts are left.
 *
 * @example
 * ```ts
 * if (order.currency === 'XXX') throw new PoisonMessageError('no such currency');
 * ```
 */
export class PoisonMessageError extends OnceError {
  static {
    named(PoisonMessageError, 'PoisonMessageError');
  }
}

/** The longest SQS keeps a received message out of sight. */
const longestVisibilitySeconds = 43_200;

/**
 * Thrown by a handler (or by `parse`) to have the message back later. The attempt is not counted.
 *
 * @throws TypeError when `afterSeconds` is not a number from 0 to 43,200 (12 hours, the longest SQS hides a
 * message). A fraction is rounded up to whole seconds.
 * @example
 * ```ts
 * if (response.status === 429) throw new RetryLaterError({ afterSeconds: 30 });
 * ```
 */
export class RetryLaterError extends OnceError {
  /** When the message is wanted back, whole seconds from now. */
  readonly afterSeconds: number;

  static {
    named(RetryLaterError, 'RetryLaterError');
  }

  constructor(wanted: { readonly afterSeconds: number; readonly cause?: unknown }) {
    const { afterSeconds, cause } = wanted ?? {};
    if (
      typeof afterSeconds !== 'number' ||
      !(afterSeconds >= 0 && afterSeconds <= longestVisibilitySeconds)
    ) {
      throw new TypeError(
        `afterSeconds is ${shown(afterSeconds)}; give a number from 0 to ${longestVisibilitySeconds}, the longest SQS hides a message`,
      );
    }
    super(`wanted back in ${afterSeconds} s`, cause === undefined ? {} : { cause });
    this.afterSeconds = Math.ceil(afterSeconds);
  }
}

/** The table did not answer, or asked to slow down. Nothing is known to be wrong with the message. */
export class StoreUnavailableError extends OnceError {
  static {
    named(StoreUnavailableError, 'StoreUnavailableError');
  }
}

/**
 * Whether something thrown is the error of that name, or a subclass of it, from this copy of the package or
 * another. Total: a hostile Proxy or getter is no error of ours.
 */
export function isNamed(error: unknown, name: string): boolean {
  // Bounded, because a Proxy may name itself as its own prototype.
  const deepest = 20;
  try {
    let link: unknown = error;
    for (let depth = 0; depth < deepest && typeof link === 'object' && link !== null; depth += 1) {
      if ((link as { name?: unknown }).name === name) return true;
      link = Object.getPrototypeOf(link);
    }
    return false;
  } catch {
    return false;
  }
}

/**
 * When something thrown asks for its message back, in seconds; `undefined` when it does not. By name and by a
 * usable number: an error of the user's may bear the same name.
 */
export function wantedBackAfterSeconds(thrown: unknown): number | undefined {
  if (!isNamed(thrown, 'RetryLaterError')) return undefined;
  try {
    const { afterSeconds } = thrown as { afterSeconds?: unknown };
    return typeof afterSeconds === 'number' && afterSeconds >= 0 ? afterSeconds : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whatever was thrown, as an error that is safe to read and log. An error comes back as it is; anything else
 * becomes the cause of a new one.
 */
export function toError(thrown: unknown): Error {
  if (isSafeError(thrown)) return thrown;
  return new Error(messageOf(thrown), { cause: thrown });
}

/**
 * An error of this realm or another, whose name, message and stack can be read. Not a Proxy: it may answer
 * otherwise the next time. A `DOMException`, such as an abort, is a native error in newer Node only.
 */
function isSafeError(thrown: unknown): thrown is Error {
  try {
    if (types.isProxy(thrown)) return false;
    if (!types.isNativeError(thrown) && !(thrown instanceof Error)) return false;
    return typeof thrown.name === 'string' && typeof thrown.message === 'string' && thrown.stack !== null;
  } catch {
    return false;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  try {
    const { message } = thrown as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Nothing to read: null, undefined, or an object that refuses.
  }
  return `${shown(thrown)} was thrown`;
}

/** A value in an error's text, without calling anything of the value's own. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  return String(value);
}
