import { isNamed } from './errors.ts';

/**
 * Middy stops waiting before the time is up, and the handler itself still runs. Other timeouts bear the same
 * name (a fetch's, the SDK's) and are the handler's own failure.
 */
export function isTimeoutOfMiddy(error: unknown): boolean {
  if (!isNamed(error, 'TimeoutError')) return false;
  const { cause } = error as Error;
  return typeof cause === 'object' && cause !== null && Reflect.get(cause, 'package') === '@middy/core';
}
