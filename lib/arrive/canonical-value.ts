import { types } from 'node:util';
import { isRefusedPromise } from './unheard.ts';

/**
 * The canonical form of a value that a custom `parse` or `fingerprint` made, version 1. What JSON can say has
 * the form {@link canonicalJson} would give its shortest text; the rest goes by these rules:
 *
 * - `toJSON` is asked first, so a `Date` is its ISO text;
 * - a bigint is its digits; `-0`, `NaN` and the infinities are those words;
 * - a member that is `undefined`, a function or a symbol is left out; elsewhere it is the word `undefined`;
 * - a `Map` and a `Set` are their contents, in the order of their canonical forms;
 * - bytes (`ArrayBuffer` and its views) are base64;
 * - any other object is its own enumerable members, whatever its class.
 *
 * An object of a class that shows nothing (a `RegExp`, an `Error`, a promise, private fields only) is refused:
 * every one of them would look the same.
 *
 * @throws TypeError for such an object, and for one that contains itself.
 */
export function canonicalValue(value: unknown): string {
  return formOf(value, new Set());
}

type Holders = Set<object>;

function formOf(given: unknown, holders: Holders): string {
  const value = unwrapped(given);
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : formOfObject(value, holders);
    default:
      return 'undefined';
  }
}

/** What stands for the value: the answer of its `toJSON`, or what a `new String()` and its like hold. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (types.isBoxedPrimitive(value)) return value.valueOf();
  // Node gives its buffers a `toJSON` that spells every byte as a number.
  if (ArrayBuffer.isView(value)) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value) : value;
}

function formOfObject(value: object, holders: Holders): string {
  if (holders.has(value)) {
    throw new TypeError('a value that contains itself has no fingerprint; give `fingerprint` a part of it');
  }
  holders.add(value);
  const form = formOfContents(value, holders);
  holders.delete(value);
  return form;
}

function formOfContents(value: object, holders: Holders): string {
  if (Array.isArray(value)) return `[${Array.from(value, (item) => formOf(item, holders)).join(',')}]`;
  if (types.isMap(value)) {
    const entries = [...value].map(([key, item]) => `${formOf(key, holders)}:${formOf(item, holders)}`);
    return `Map{${entries.sort().join(',')}}`;
  }
  if (types.isSet(value))
    return `Set[${[...value]
      .map((item) => formOf(item, holders))
      .sort()
      .join(',')}]`;
  if (ArrayBuffer.isView(value)) {
    return formOfBytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
  if (types.isAnyArrayBuffer(value)) return formOfBytes(Buffer.from(value));
  return formOfMembers(value as Record<string, unknown>, holders);
}

function formOfBytes(bytes: Buffer): string {
  return `Bytes"${bytes.toString('base64')}"`;
}

function formOfMembers(value: Readonly<Record<string, unknown>>, holders: Holders): string {
  const names = Object.keys(value).sort();
  if (isRefusedPromise(value) || (names.length === 0 && !isPlain(value))) {
    throw new TypeError(
      'an object of a class that shows no members has no fingerprint; give it `toJSON`, or give `fingerprint` a part of it',
    );
  }
  const members: string[] = [];
  for (const name of names) {
    const form = formOf(value[name], holders);
    if (form !== 'undefined') members.push(`${JSON.stringify(name)}:${form}`);
  }
  return `{${members.join(',')}}`;
}

/** Made by `{}`, in this realm or another, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
