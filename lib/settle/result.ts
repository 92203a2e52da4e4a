import { hash } from 'node:crypto';
import { isNamed } from '../errors.ts';

/**
 * The longest result a row keeps, in bytes of JSON text. A row has 400 KB for everything; what is left covers
 * follow-ups, key and errors. Long results cost: a refused claim is billed by the size of the row.
 */
const longestResultBytes = 256 * 1_024;

/** A recorded result as it is read back. */
export type KeptResult =
  | { readonly status: 'kept'; readonly value: unknown }
  | { readonly status: 'not-kept'; readonly why: string };

/**
 * What the row records of a handler's return value: the JSON text of a value that JSON gives back equal, or a
 * marker that says why not. `undefined` is recorded as nothing at all.
 *
 * Equal, because a duplicate gets the outcome the first caller got: not a text for a `Date`, nor `{}` for a
 * `Map`, nor `null` for `NaN`. Only a member that is `undefined` is left out, since reading it gives the same.
 *
 * Never throws, whatever a getter or a Proxy does: the work is done, and its result may not undo that.
 */
export function keepResult(value: unknown, limitBytes: number = longestResultBytes): string | undefined {
  if (value === undefined) return undefined;
  try {
    const obstacle = new Inspection(limitBytes).obstacleIn(value);
    if (obstacle !== undefined) return notKept(obstacle);
    const text = JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    if (bytes <= limitBytes) return text;
    return notKept(`${bytes} bytes of JSON, and ${limitBytes} are kept`, hash('sha256', text, 'base64url'));
  } catch (thrown) {
    return notKept(isNamed(thrown, 'RangeError') ? 'nested too deep or too long' : 'reading it threw');
  }
}

/** The marker for a value that was not kept. No JSON text begins like it. */
export function notKept(why: string, digest?: string): string {
  return `${marker}${digest === undefined ? '' : ` sha256 ${digest}`}: ${why}`;
}

/** Reads what {@link keepResult} recorded. Never throws: of a garbled text it says that it is one. */
export function readResult(text: string | undefined): KeptResult {
  if (text === undefined) return { status: 'kept', value: undefined };
  if (text.startsWith(marker)) {
    return { status: 'not-kept', why: text.slice(text.indexOf(': ') + 2) };
  }
  try {
    return { status: 'kept', value: JSON.parse(text) };
  } catch {
    return { status: 'not-kept', why: 'the recorded text is damaged' };
  }
}

const marker = 'not-kept';

/** Looks for what JSON would not give back equal. */
class Inspection {
  private readonly holders = new Set<object>();
  private valuesLeft: number;

  /** Every value takes a byte of JSON at least, so a value that spreads one object many times ends in time. */
  constructor(limitBytes: number) {
    this.valuesLeft = limitBytes;
  }

  obstacleIn(value: unknown): string | undefined {
    this.valuesLeft -= 1;
    if (this.valuesLeft < 0) return 'too many values';
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return undefined;
      case 'number':
        return Number.isFinite(value) ? undefined : `${value} is no JSON number`;
      case 'object':
        return value === null ? undefined : this.obstacleInObject(value);
      default:
        return `JSON has no ${typeof value}`;
    }
  }

  private obstacleInObject(value: object): string | undefined {
    if (this.holders.has(value)) return 'it contains itself';
    this.holders.add(value);
    const obstacle = Array.isArray(value) ? this.obstacleInItems(value) : this.obstacleInMembers(value);
    this.holders.delete(value);
    return obstacle;
  }

  /** By place, not by iteration, so that a hole is seen. JSON makes `null` of it and of `undefined`. */
  private obstacleInItems(items: readonly unknown[]): string | undefined {
    for (let place = 0; place < items.length; place += 1) {
      const obstacle = this.obstacleIn(items[place]);
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }

  private obstacleInMembers(value: object): string | undefined {
    const prototype: unknown = Object.getPrototypeOf(value);
    // Plain objects of another realm have that realm's prototype, which has none itself.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return 'an object of a class comes back as a plain one';
    }
    for (const member of Object.values(value)) {
      const obstacle = member === undefined ? undefined : this.obstacleIn(member);
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }
}
