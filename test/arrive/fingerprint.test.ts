import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { bodyFingerprint, givenFingerprint, sameFingerprint } from '../../lib/arrive/fingerprint.ts';
import { rejectionsUnheardIn } from '../support/unheard.ts';

const ofJson = (json: string) => bodyFingerprint({ json });
const ofValue = (value: unknown) => bodyFingerprint({ value });

describe('the fingerprint of a JSON body', () => {
  it.each([
    ['null', 'v1:dCNOmK_nSY-12vHzasLXiswzlGT5UHA7jAGYkvmCuQs'],
    ['"\\u0041"', 'v1:eYZAWZWX33qNqjKxEy8HhQpotecb0pVlA5mjgHT1KAQ'],
    [
      '{"z":7,"_":4,"9":2,"10":1,"a":5,"B":3,"ä":8,"i":6,"ı":9}',
      'v1:TlsRs5UXwD4kDUNW3o6VsrSyCK4lZn7MV4n0nqvtdQ0',
    ],
    [
      '{"lines": [{"sku": "x"}], "id": 9007199254740993, "note": null, "amount": 1299.50}',
      'v1:DcXZEQFisK9WyWKI9BFSYIHOocw9IKVNZuERU-zGpzI',
    ],
  ])('of %s is golden', (json, golden) => {
    expect(ofJson(json)).toBe(golden);
  });

  it('is equal for two spellings of one body', () => {
    expect(ofJson('{"b":"A","a":[1]}')).toBe(ofJson('{ "a": [ 1 ], "b": "\\u0041" }'));
  });

  it('rounds no 64-bit id', () => {
    expect(ofJson('{"id":9007199254740993}')).not.toBe(ofJson('{"id":9007199254740992}'));
  });

  it('is one in every language of the machine', async () => {
    const bodies = [
      '{"z":7,"_":4,"9":2,"10":1,"a":5,"B":3,"ä":8,"i":6,"ı":9}',
      '{"I":1,"i":2,"İ":3,"ı":4,"å":5,"aa":6,"v":7,"w":8,"W":9}',
    ];
    const source = `
      const { bodyFingerprint } = await import(process.argv[1]);
      const { language } = new Intl.Locale(Intl.DateTimeFormat().resolvedOptions().locale);
      const bodies = JSON.parse(process.argv[2]);
      const fingerprints = bodies.flatMap((json) => [
        bodyFingerprint({ json }),
        bodyFingerprint({ value: JSON.parse(json) }),
      ]);
      console.log(JSON.stringify({ language, fingerprints }));`;
    const module = new URL('../../lib/arrive/fingerprint.ts', import.meta.url).href;
    const answers = await Promise.all(
      ['C', 'sv_SE.UTF-8', 'tr_TR.UTF-8'].map(async (locale) => {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          ['--input-type=module', '-e', source, module, JSON.stringify(bodies)],
          { env: { ...process.env, NODE_OPTIONS: '', LANG: locale, LC_ALL: locale } },
        );
        return JSON.parse(stdout) as { language: string; fingerprints: string[] };
      }),
    );
    const here = bodies.flatMap((json) => [ofJson(json), ofValue(JSON.parse(json))]);
    expect(answers).toEqual([
      { language: 'en', fingerprints: here },
      { language: 'sv', fingerprints: here },
      { language: 'tr', fingerprints: here },
    ]);
  });
});

describe('the fingerprint of a parsed value', () => {
  class Order {
    readonly id: number;
    readonly #secret = 1;
    constructor(id: number) {
      this.id = id;
    }
    get secret() {
      return this.#secret;
    }
  }
  class Hidden {
    readonly #id: number;
    constructor(id: number) {
      this.#id = id;
    }
    get id() {
      return this.#id;
    }
  }
  const bytes = new Uint8Array([1, 2, 3, 4]);

  it('is golden', () => {
    const value = {
      tags: new Set(['b', 'a']),
      ids: [9007199254740993n, -0],
      at: new Date('2026-01-02T03:04:05.678Z'),
    };
    expect(ofValue(value)).toBe('v1p:IjyJRiFxuiehZQxxGeDU2YJ5WE_mwPBXxTFG8PrgcUQ');
  });

  it.each([
    ['members in another order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['a missing member and an undefined one', { a: 1, b: undefined }, { a: 1 }],
    ['a class and a plain object', new Order(1), { id: 1 }],
    ['an object of another realm', runInNewContext('({})'), {}],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['a date and its ISO text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a safe integer and the same bigint', 17, 17n],
    [
      'a map in another order',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['a set in another order', new Set([1, 'a']), new Set(['a', 1])],
    ['bytes seen through another view', bytes.subarray(1, 3), Buffer.from([2, 3])],
    ['a buffer and its view', bytes.buffer, bytes],
    ['a boxed text', new String('a'), 'a'],
    ['an object used twice', [{ a: 1 }, { a: 1 }], Array(2).fill({ a: 1 })],
  ])('is equal for %s', (_, one, other) => {
    expect(ofValue(one)).toBe(ofValue(other));
  });

  it.each([
    [9007199254740993n, 9007199254740992n],
    [1, '1'],
    [0, -0],
    [Number.NaN, null],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    [undefined, null],
    [[undefined], [null]],
    [[undefined], []],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: null }, {}],
    [new Map([['a', 1]]), { a: 1 }],
    [new Map([['a', 1]]), new Map([['a', 2]])],
    [new Map([[1, 'a']]), new Map([['1', 'a']])],
    [new Set([1]), [1]],
    [new Set([1]), new Set([2])],
    [new Uint8Array([1]), new Uint8Array([2])],
    [new Uint8Array([1]).buffer, new Uint8Array([2]).buffer],
    [new Order(1), new Order(2)],
    [new Date(0), new Date(1)],
    ['é', 'e\u0301'],
    ['\ud800', '\ud801'],
    [true, false],
    ['', null],
  ])('tells values apart, case %#', (one, other) => {
    expect(ofValue(one)).not.toBe(ofValue(other));
  });

  it.each([
    ['a class that shows nothing', new Hidden(1)],
    ['a pattern', /a/],
    ['an error', new Error('a')],
    ['a promise', Promise.resolve(1)],
    ['a weak map', new WeakMap()],
  ])('is refused for %s, which always looks the same', (_, value) => {
    expect(() => ofValue({ value })).toThrow('shows no members');
  });

  it('is refused for a value that contains itself', () => {
    const value: { self?: unknown } = {};
    value.self = [value];
    expect(() => ofValue(value)).toThrow('contains itself');
  });
});

describe('the fingerprint a user gives', () => {
  it('is hashed, so that a row tells nothing of it', () => {
    expect(givenFingerprint('order-1')).toBe('v1g:SwgkJZjomBj5i5z37A2O6QM74sVuV5hHsNYLbbUW90Y');
  });

  it('does not depend on the order of members', () => {
    expect(givenFingerprint({ a: 1, b: 2 })).toBe(givenFingerprint({ b: 2, a: 1 }));
    expect(givenFingerprint('1')).not.toBe(givenFingerprint(1));
  });

  it.each([undefined, null, '', '  ', Number.NaN, Symbol('a'), () => 'a', Promise.resolve('a')])(
    'is refused when it is %o',
    (value) => {
      expect(() => givenFingerprint(value)).toThrow(TypeError);
    },
  );

  it.each([
    ['itself', (failing: Promise<unknown>) => failing],
    ['a part of it', (failing: Promise<unknown>) => ({ a: [failing] })],
  ])('is refused when %s is a promise, whose failure then ends no process', async (_, of) => {
    const unheard = await rejectionsUnheardIn(() => {
      expect(() => givenFingerprint(of(Promise.reject(new Error('late'))))).toThrow(TypeError);
    });
    expect(unheard).toEqual([]);
  });
});

describe('two fingerprints', () => {
  it('are of one payload when they are equal', () => {
    expect(sameFingerprint(ofJson('1'), ofJson(' 1 '))).toBe('same');
    expect(sameFingerprint(ofJson('1'), ofJson('2'))).toBe('different');
    expect(sameFingerprint(givenFingerprint('1'), givenFingerprint('2'))).toBe('different');
  });

  it('of two versions prove nothing, so nothing is refused', () => {
    expect(sameFingerprint(ofJson('1'), ofJson('2').replace('v1', 'v2'))).toBe('same');
    expect(sameFingerprint(ofJson('1'), ofValue(2))).toBe('same');
    expect(sameFingerprint(ofValue(1), givenFingerprint(2))).toBe('same');
    expect(sameFingerprint(ofJson('1'), '')).toBe('same');
    expect(sameFingerprint(ofJson('1'), 'garbled')).toBe('same');
  });
});
