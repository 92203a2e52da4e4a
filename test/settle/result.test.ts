import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepResult, notKept, readResult } from '../../lib/settle/result.ts';

const replayed = (value: unknown) => readResult(keepResult(value));

describe('a result', () => {
  it.each([
    undefined,
    null,
    0,
    '',
    false,
    [],
    {},
    true,
    -1.5,
    2 ** 60,
    5e-324,
    'not-kept',
    'not-kept: x',
    '\ud800',
    [null, [0, ['']]],
    { charge: 'ch_1', lines: [{ price: 1 }] },
  ])('that is %j is replayed as it was', (value) => {
    expect(replayed(value)).toStrictEqual({ status: 'kept', value });
  });

  it('is replayed equal, for every value JSON can say', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (drawn) => {
        // JSON writes the zero below zero as 0.
        const value: unknown = JSON.parse(JSON.stringify(drawn));
        expect(replayed(value)).toEqual({ status: 'kept', value });
      }),
      { numRuns: 1_000 },
    );
  });

  it('is kept as plain JSON text, for people and tools to read', () => {
    expect(keepResult({ charge: 'ch_1' })).toBe('{"charge":"ch_1"}');
    expect(keepResult(null)).toBe('null');
    expect(keepResult('null')).toBe('"null"');
    expect(keepResult(undefined)).toBeUndefined();
  });

  it('may leave members undefined', () => {
    expect(replayed({ charge: 'ch_1', note: undefined })).toStrictEqual({
      status: 'kept',
      value: { charge: 'ch_1' },
    });
  });

  it('may come from another realm or have no prototype', () => {
    expect(replayed(runInNewContext('({ a: [1] })'))).toEqual({ status: 'kept', value: { a: [1] } });
    expect(replayed(Object.assign(Object.create(null), { a: 1 }))).toEqual({
      status: 'kept',
      value: { a: 1 },
    });
  });

  it('may hold one object twice', () => {
    const line = { price: 1 };
    expect(replayed([line, line])).toEqual({ status: 'kept', value: [line, line] });
  });
});

describe('a result that JSON would not give back equal', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = { again: [cyclic] };
  const throwing = () => {
    throw new Error('do not look');
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;

  it.each([
    ['a cycle', cyclic, 'it contains itself'],
    ['a bigint', { id: 1n }, 'JSON has no bigint'],
    ['NaN', [Number.NaN], 'NaN is no JSON number'],
    ['an infinity', Number.NEGATIVE_INFINITY, '-Infinity is no JSON number'],
    ['a date', { at: new Date(0) }, 'an object of a class comes back as a plain one'],
    ['an impossible date', new Date(Number.NaN), 'an object of a class comes back as a plain one'],
    ['a map', new Map(), 'an object of a class comes back as a plain one'],
    ['a set', new Set(), 'an object of a class comes back as a plain one'],
    ['an error', new Error('x'), 'an object of a class comes back as a plain one'],
    ['bytes', Buffer.from('x'), 'an object of a class comes back as a plain one'],
    ['an object of a class', new (class Order {})(), 'an object of a class comes back as a plain one'],
    ['a boxed text', new String('x'), 'an object of a class comes back as a plain one'],
    [
      'an object that stands on another',
      Object.create({ a: 1 }),
      'an object of a class comes back as a plain one',
    ],
    ['an undefined item', [undefined], 'JSON has no undefined'],
    ['a hole', new Array(3), 'JSON has no undefined'],
    ['a function', () => 1, 'JSON has no function'],
    ['a method', { log: () => 1 }, 'JSON has no function'],
    ['a toJSON of its own', { toJSON: () => 1 }, 'JSON has no function'],
    ['a symbol', { a: Symbol('x') }, 'JSON has no symbol'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', { get: throwing, enumerable: true }),
      'reading it threw',
    ],
    ['a Proxy that throws', new Proxy({}, { ownKeys: throwing }), 'reading it threw'],
    [
      'a hidden toJSON that throws',
      Object.defineProperty({}, 'toJSON', { value: throwing }),
      'reading it threw',
    ],
    ['a revoked Proxy', revoked, 'reading it threw'],
    ['nesting without end', deep, 'nested too deep or too long'],
  ])('is not kept, and says why: %s', (_, value, why) => {
    expect(replayed(value)).toEqual({ status: 'not-kept', why });
  });

  it('is not kept when even its error throws', () => {
    const angry: object = new Proxy({}, { getPrototypeOf: () => throwing() });
    const value = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw angry;
      },
    });
    expect(replayed(value)).toEqual({ status: 'not-kept', why: 'reading it threw' });
  });
});

describe('a result that is too large', () => {
  it('is kept to the last byte of UTF-8, and not beyond', () => {
    expect(readResult(keepResult('ä'.repeat(4), 10))).toEqual({ status: 'kept', value: 'ä'.repeat(4) });
    expect(readResult(keepResult(`${'ä'.repeat(4)}b`, 10))).toEqual({
      status: 'not-kept',
      why: '11 bytes of JSON, and 10 are kept',
    });
  });

  it('leaves a digest, so that two of them can be told apart', () => {
    expect(keepResult('abcd', 5)).toBe(
      'not-kept sha256 ri55SKbqehUiXnNomDfqUao2da0Es_9PYsiN2Ubljak: 6 bytes of JSON, and 5 are kept',
    );
  });

  it('leaves room in a row of 400 KB by itself', () => {
    expect(readResult(keepResult('x'.repeat(256 * 1_024 - 2)))).toMatchObject({ status: 'kept' });
    expect(readResult(keepResult('x'.repeat(256 * 1_024 - 1)))).toMatchObject({ status: 'not-kept' });
  });

  it('is found out in time when it spreads one object many times over', () => {
    let value: unknown = 'x';
    for (let doublings = 0; doublings < 60; doublings += 1) value = [value, value];
    expect(replayed(value)).toEqual({ status: 'not-kept', why: 'too many values' });
  });
});

describe('the marker of a result that was not kept', () => {
  it('is no text that any result is kept as', () => {
    expect(() => JSON.parse(notKept('x'))).toThrow(SyntaxError);
    expect(replayed(notKept('x'))).toEqual({ status: 'kept', value: notKept('x') });
  });

  it('tells why', () => {
    expect(readResult(notKept('a whole-event handler returned it'))).toEqual({
      status: 'not-kept',
      why: 'a whole-event handler returned it',
    });
    expect(readResult(notKept('it said: no', 'abc'))).toEqual({ status: 'not-kept', why: 'it said: no' });
  });
});

describe('a recorded text', () => {
  it.each(['', '{', 'undefined', 'NaN', 'not', '\u0000', '{"a":1}}'])(
    'that is damaged, %j, says so',
    (text) => {
      expect(readResult(text)).toEqual({ status: 'not-kept', why: 'the recorded text is damaged' });
    },
  );

  it('that is a damaged marker is still one', () => {
    expect(readResult('not-kept')).toMatchObject({ status: 'not-kept' });
    expect(readResult('not-kept sha256')).toMatchObject({ status: 'not-kept' });
  });
});
