import { types } from 'node:util';
import { NoKeyError } from '../errors.ts';
import { isRefusedPromise } from './unheard.ts';

/**
 * The key as it is used: a string that is not blank, as written, or a safe integer in decimal. `-0` is `0`.
 * A bigint is refused like any other value: what makes one makes text from it as easily.
 *
 * @throws NoKeyError for anything else. Its message tells the kind of value, never the value.
 */
export function checkedKey(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw new NoKeyError(`key is ${kindOf(value)}; give a string that is not blank, or a safe integer`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a blank string';
  if (typeof value === 'number') return kindOfNumber(value);
  if (isRefusedPromise(value)) return 'a promise';
  if (types.isProxy(value)) return 'an object';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function kindOfNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return Number.isInteger(value) ? 'an integer too large to be exact' : 'a number with a fraction';
}
