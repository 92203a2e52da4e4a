import { types } from 'node:util';
import { marshall, type NativeAttributeValue, NumberValueImpl, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Attributes } from '../store/table.ts';

/** DynamoDB nests this deep; a value that refers to itself is deeper than anything. */
const deepestNesting = 32;

type Native = NativeAttributeValue;

/**
 * Native values as DynamoDB's attributes, copied to the last byte, so that what the handler does to them
 * afterwards changes nothing. An attribute of an item or map that is `undefined` is left out. What DynamoDB
 * has no type for is refused, with the place where it sits.
 *
 * @throws TypeError
 */
export function attributesFrom(values: unknown, at: string): Attributes {
  if (!isPlainObject(values)) throw new TypeError(`${at} is ${kindOf(values)}; give an object of attributes`);
  return marshall(copiedMap(Object.entries(values), at, 0));
}

/** The item as native values, whether a client handed it over raw or native. */
export function nativeItem(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRaw(item) ? unmarshall(item, { wrapNumbers: exactNumber }) : item;
}

function copied(value: unknown, at: string, depth: number): Native {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint'
  ) {
    return value;
  }
  if (typeof value === 'number') return checkedNumber(value, at);
  if (typeof value !== 'object') throw unsupported(value, at);
  if (depth === deepestNesting) {
    throw new TypeError(`${at} is nested deeper than ${deepestNesting} levels, or contains itself`);
  }
  const inner = depth + 1;
  if (Array.isArray(value)) return Array.from(value, (element, i) => copied(element, `${at}[${i}]`, inner));
  if (types.isMap(value)) return copiedMap(value, at, inner);
  if (types.isSet(value)) return copiedSet(value, at, inner);
  if (ArrayBuffer.isView(value)) return copiedBytes(value.buffer, value.byteOffset, value.byteLength);
  if (types.isAnyArrayBuffer(value)) return copiedBytes(value, 0, value.byteLength);
  if (isNumberValue(value)) return NumberValueImpl.from(value.value);
  if (isPlainObject(value)) return copiedMap(Object.entries(value), at, inner);
  throw unsupported(value, at);
}

/** A `Map`, because `marshall` takes an object's own attribute called `constructor` for its class. */
function copiedMap(entries: Iterable<[unknown, unknown]>, at: string, depth: number): Map<string, Native> {
  const map = new Map<string, Native>();
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    if (typeof name !== 'string')
      throw new TypeError(`${at} has a name that is ${kindOf(name)}; give a string`);
    // `marshall` would lose it without a word.
    if (name === '__proto__')
      throw new TypeError(`${at} has an attribute called "__proto__"; give it another name`);
    map.set(name, copied(value, `${at}.${name}`, depth));
  }
  return map;
}

function copiedSet(set: ReadonlySet<unknown>, at: string, depth: number): Set<Native> {
  const members = [...set].map((member) => copied(member, `${at} (a member)`, depth));
  const kinds = new Set(members.map(setKind));
  if (kinds.size === 1 && !kinds.has(undefined)) return new Set(members);
  throw new TypeError(
    `${at} is a set that is empty or mixed; DynamoDB has sets of strings, of numbers and of binaries, with one member at least`,
  );
}

function setKind(member: Native): string | undefined {
  if (typeof member === 'string') return 'string';
  if (member instanceof Uint8Array) return 'binary';
  // One by one as they come: `marshall` reads the kind of number off the first member.
  if (member instanceof NumberValueImpl) return 'wrapped number';
  return typeof member === 'number' || typeof member === 'bigint' ? typeof member : undefined;
}

function copiedBytes(buffer: ArrayBufferLike, offset: number, length: number): Uint8Array {
  return Uint8Array.from(new Uint8Array(buffer, offset, length));
}

function checkedNumber(value: number, at: string): number {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new TypeError(
    `${at} is ${Number.isFinite(value) ? 'a number too large to be exact' : value}; give a finite number up to ` +
      '2^53 - 1, or a bigint',
  );
}

/** By its looks: two copies of the SDK share no class. */
function isNumberValue(value: object): value is { readonly value: string } {
  return (
    typeof Reflect.get(value, 'value') === 'string' &&
    typeof Reflect.get(value, 'toBigInt') === 'function' &&
    !isPlainObject(value)
  );
}

/** An object literal of this realm or another, such as a test runner's sandbox, or one without a prototype. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unsupported(value: unknown, at: string): TypeError {
  return new TypeError(
    `${at} is ${kindOf(value)}; give a string, number, bigint, boolean, null, binary, array, Set, Map or plain object`,
  );
}

/** What a value is, never what it says. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'object') return `a ${classOf(value)}`;
  return `a ${typeof value}`;
}

function classOf(value: object): string {
  if (types.isProxy(value)) return 'Proxy';
  if (Array.isArray(value)) return 'list';
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}

const attributeTypes: readonly string[] = ['S', 'N', 'B', 'SS', 'NS', 'BS', 'M', 'L', 'NULL', 'BOOL'];

/** No native item looks like this: its key is a string, a number or a binary. */
function isRaw(item: Readonly<Record<string, unknown>>): item is Attributes {
  return Object.values(item).every((value) => {
    if (typeof value !== 'object' || value === null) return false;
    const [type, ...more] = Object.keys(value);
    return type !== undefined && attributeTypes.includes(type) && more.length === 0;
  });
}

/** A number JavaScript can hold, else the text DynamoDB sent. */
function exactNumber(text: string): unknown {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  return /^-?\d+$/.test(text) ? BigInt(text) : NumberValueImpl.from(text);
}
