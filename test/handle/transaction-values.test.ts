import { createContext, runInContext } from 'node:vm';
import { marshall, NumberValueImpl } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributesFrom, nativeItem } from '../../lib/handle/transaction-values.ts';

describe('native values', () => {
  test('become what the SDK makes of them, and come back as they were', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((n) => n + 0),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ minLength: 1, maxLength: 9 }),
      fc.uniqueArray(fc.string(), { minLength: 1 }).map((members) => new Set(members)),
      fc.uniqueArray(fc.maxSafeInteger(), { minLength: 1 }).map((members) => new Set(members)),
    );
    const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__' && text !== 'constructor');
    const { item } = fc.letrec<{ item: Record<string, unknown>; value: unknown }>((tie) => ({
      item: fc.dictionary(name, tie('value'), { noNullPrototype: true }),
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value')), tie('item')),
    }));
    fc.assert(
      fc.property(item, (values) => {
        const attributes = attributesFrom(values, 'Item');
        expect(attributes).toEqual(marshall(values));
        expect(nativeItem(attributes)).toEqual(values);
      }),
    );
  });

  test('that are undefined are left out of items and maps', () => {
    const values = {
      id: 'a',
      gone: undefined,
      inner: { gone: undefined },
      map: new Map([['gone', undefined]]),
    };
    expect(attributesFrom(values, 'Item')).toEqual({ id: { S: 'a' }, inner: { M: {} }, map: { M: {} } });
  });

  test('called "constructor" are attributes like any other', () => {
    expect(attributesFrom({ constructor: 'a', inner: { constructor: { name: 'Set' } } }, 'Item')).toEqual({
      constructor: { S: 'a' },
      inner: { M: { constructor: { M: { name: { S: 'Set' } } } } },
    });
  });

  test('of another realm, as test runners make them, are taken', () => {
    const foreign = runInContext(
      '({ list: [1, { a: true }], set: new Set(["x"]), map: new Map([["k", null]]), bytes: new Uint8Array([7]) })',
      createContext(),
    );
    expect(attributesFrom(foreign, 'Item')).toEqual({
      list: { L: [{ N: '1' }, { M: { a: { BOOL: true } } }] },
      set: { SS: ['x'] },
      map: { M: { k: { NULL: true } } },
      bytes: { B: Uint8Array.from([7]) },
    });
  });

  test('without a prototype, numbers beyond 2^53 and views into larger buffers are taken exactly', () => {
    const buffer = Uint8Array.from([1, 2, 3, 4]).buffer;
    const values = Object.assign(Object.create(null), {
      big: 12345678901234567890n,
      exact: NumberValueImpl.from('0.12345678901234567890'),
      exacts: new Set([NumberValueImpl.from('1.10')]),
      view: new DataView(buffer, 1, 2),
      buffer,
    });
    expect(attributesFrom(values, 'Item')).toEqual({
      big: { N: '12345678901234567890' },
      exact: { N: '0.12345678901234567890' },
      exacts: { NS: ['1.10'] },
      view: { B: Uint8Array.from([2, 3]) },
      buffer: { B: Uint8Array.from([1, 2, 3, 4]) },
    });
  });
});

describe('a value DynamoDB has no type for is refused with its place, and never told', () => {
  class Money {
    secret = 'hush';
  }
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const sparse = ['a'];
  sparse[2] = 'c';

  test.each([
    ['a Date', { at: new Date(0) }, 'Item.at is a Date; give a string'],
    ['a class instance', { price: new Money() }, 'Item.price is a Money'],
    ['a promise', { later: Promise.resolve() }, 'Item.later is a Promise'],
    ['a Blob', { file: new Blob(['hush']) }, 'Item.file is a Blob'],
    ['a boxed string', { text: new String('hush') }, 'Item.text is a String'],
    ['a function', { run: () => 'hush' }, 'Item.run is a function'],
    ['a symbol', { mark: Symbol('hush') }, 'Item.mark is a symbol'],
    ['undefined in a list', { list: ['a', undefined] }, 'Item.list[1] is undefined'],
    ['a hole in a list', { list: sparse }, 'Item.list[1] is undefined'],
    ['not a number', { n: Number.NaN }, 'Item.n is NaN'],
    ['infinity', { n: Number.NEGATIVE_INFINITY }, 'Item.n is -Infinity'],
    ['an inexact integer', { n: 2 ** 53 }, 'Item.n is a number too large to be exact'],
    ['an empty set', { tags: new Set() }, 'Item.tags is a set that is empty or mixed'],
    ['a mixed set', { tags: new Set(['a', 1]) }, 'Item.tags is a set that is empty or mixed'],
    ['a set of maps', { tags: new Set([{}]) }, 'Item.tags is a set that is empty or mixed'],
    ['a set with undefined', { tags: new Set(['a', undefined]) }, 'Item.tags (a member) is undefined'],
    ['a map with other names', { map: new Map([[1, 'a']]) }, 'Item.map has a name that is a number'],
    [
      'an attribute marshall would lose',
      JSON.parse('{"in":{"__proto__":1}}'),
      'Item.in has an attribute called "__proto__"',
    ],
    ['itself', circle, 'is nested deeper than 32 levels, or contains itself'],
    ['something deep inside', { a: [{ b: [new Date(0)] }] }, 'Item.a[0].b[0] is a Date'],
  ])('%s', (_, values, said) => {
    const refused = () => attributesFrom(values, 'Item');
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(said);
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hush') }));
  });

  test.each([
    [undefined, 'Item is undefined'],
    ['text', 'Item is a string'],
    [[], 'Item is a list'],
    [new Map(), 'Item is a Map'],
  ])('%j for an item', (values, said) => {
    expect(() => attributesFrom(values, 'Item')).toThrow(said);
  });
});

describe('an old item', () => {
  test('is read with numbers as exact as JavaScript can hold them', () => {
    const n = (N: string) => ({ N });
    expect(nativeItem({ a: n('7'), b: n('0.5'), c: n('9007199254740993'), d: n('1e40') })).toEqual({
      a: 7,
      b: 0.5,
      c: 9007199254740993n,
      d: NumberValueImpl.from('1e40'),
    });
  });

  test('that is native stays as it is, even with an attribute that looks raw', () => {
    const item = { id: 'a', size: { S: 'small' } };
    expect(nativeItem(item)).toBe(item);
  });
});
