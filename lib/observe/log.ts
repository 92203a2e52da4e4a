import { Console } from 'node:console';
import { ConfigurationError } from '../errors.ts';
import { shown } from '../option-checks.ts';
import type { Observer, OnceEvent, OutcomeEventType } from './events.ts';

/** Any logger with these three: Powertools, pino, console. */
export interface LoggerLike {
  info(message: string, fields: object): void;
  warn(message: string, fields: object): void;
  error(message: string, fields: object): void;
}

type Level = keyof LoggerLike;

/** How loud each outcome is; steps and plain claims are not logged. */
const levels: Readonly<Record<Exclude<OutcomeEventType, 'claimed'>, Level>> = {
  completed: 'info',
  duplicate: 'info',
  'in-flight': 'info',
  rejected: 'info',
  deferred: 'info',
  unstarted: 'info',
  'follow-up-sent': 'info',
  failed: 'warn',
  'taken-over': 'warn',
  'fenced-out': 'warn',
  'key-reused': 'warn',
  parked: 'warn',
  'store-unavailable': 'warn',
  'park-failed': 'error',
  'outcome-unrecorded': 'error',
};

/**
 * An observer that writes one line for everything that became of a message. Duplicates are lines too. Keys
 * appear hashed; bodies and receipt handles never do. The console gets the line alone; a structured logger
 * gets the event's fields beside it, pino in its own order.
 *
 * @throws ConfigurationError at once, for what is no logger
 * @example
 * ```ts
 * const payments = idempotentConsumer({ scope: 'capture-payment', observers: [logTo(console)] });
 * ```
 */
export function logTo(logger: LoggerLike): Observer {
  if (!isLogger(logger)) {
    throw new ConfigurationError(
      `logTo was given ${shown(logger)}; give console, a Powertools Logger, pino, or anything with info, warn and error`,
    );
  }
  const write = writerOf(logger);
  return (event) => {
    const level = (levels as Partial<Record<string, Level>>)[event.type];
    // A promise of the logger's goes back to who publishes: one that rejects would be nobody's otherwise.
    return level === undefined ? undefined : write(level, event);
  };
}

function isLogger(given: unknown): given is LoggerLike {
  const logger = Object(given) as Partial<LoggerLike>;
  return [logger.info, logger.warn, logger.error].every((write) => typeof write === 'function');
}

/** The console would print what follows a text a second time; pino takes the fields first and drops them behind. */
function writerOf(logger: LoggerLike): (level: Level, event: OnceEvent) => unknown {
  if (logger instanceof Console) return (level, event) => (logger as Console)[level](lineOf(event));
  if ('bindings' in logger) {
    const pino = logger as unknown as Record<Level, (fields: object, message: string) => unknown>;
    return (level, { error, ...fields }) =>
      pino[level](error === undefined ? fields : { ...fields, err: error }, lineOf({ ...fields, error }));
  }
  return (level, event) => logger[level](lineOf(event), event);
}

/** The line stands by itself: it is all that the console shows. */
function lineOf(event: Omit<OnceEvent, 'error'> & { readonly error?: Error | undefined }): string {
  const { type, error, ...fields } = event;
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const cause = error === undefined ? [] : [`error=${JSON.stringify(`${error.name}: ${error.message}`)}`];
  return ['sqs-once', type, ...words, ...cause].join(' ');
}
