import type { Observer, OnceEvent, OutcomeEventType } from './events.ts';

/** Any logger with these three: Powertools, pino, console. */
export interface LoggerLike {
  info(message: string, fields: object): void;
  warn(message: string, fields: object): void;
  error(message: string, fields: object): void;
}

/** How loud each outcome is; steps and plain claims are not logged. */
const levels: Readonly<Record<Exclude<OutcomeEventType, 'claimed'>, keyof LoggerLike>> = {
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
 * appear hashed; bodies and receipt handles never do.
 *
 * @example
 * ```ts
 * const payments = idempotentConsumer({ scope: 'capture-payment', observers: [logTo(console)] });
 * ```
 */
export function logTo(logger: LoggerLike): Observer {
  return (event) => {
    const level = (levels as Partial<Record<string, keyof LoggerLike>>)[event.type];
    if (level !== undefined) logger[level](lineOf(event), event);
  };
}

/** The line stands by itself: some loggers drop the fields that follow a text. */
function lineOf(event: OnceEvent): string {
  const { type, error, ...fields } = event;
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const cause = error === undefined ? [] : [`error=${JSON.stringify(`${error.name}: ${error.message}`)}`];
  return ['sqs-once', type, ...words, ...cause].join(' ');
}
