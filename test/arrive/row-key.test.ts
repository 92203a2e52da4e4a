import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerScope, checkedScope, keyHash, rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';

/** Every text of up to two characters the spelling is made of, or that UTF-8 would fold together. */
const characters = ['a', 'x', '2', '3', '#', '~', '!', '%', '\u001f', '\ufffd', '\ud800', '\udc00'];
const shortTexts = [
  '',
  ...characters,
  ...characters.flatMap((one) => characters.map((other) => one + other)),
];
const shortPairs = shortTexts.flatMap((scope) => shortTexts.map((key) => [scope, key] as const));
const plainScopes = shortTexts.filter((text) => !text.includes('\u001f'));

/** Texts around the length at which hashing begins. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom('a', '#', '%', '\u001f', 'ä', '\ud800'), fc.integer({ min: 100, max: 520 }))
    .map(([character, length]) => character.repeat(length)),
);

const pair = fc.tuple(anyText, anyText);

describe('a row key', () => {
  it('is spelt in one way that people and tools can rely on', () => {
    expect(rowKey('orders', 'A-17')).toBe('orders#A-17');
    expect(rowKey('a#b', '1')).toBe('a%23b#1');
    expect(rowKey('a~b!c', '1')).toBe('a%7Eb%21c#1');
    expect(rowKey('100%', '1')).toBe('100%25#1');
    expect(rowKey('orders', 'with # and ~ and ! and %')).toBe('orders#with # and ~ and ! and %');
    expect(rowKey(callerScope('orders', 'ann'), '1')).toBe('orders%1Fann#1');
    expect(unkeyedRowKey('orders', 'm-1')).toBe('orders!#m-1');
    expect(rowKey('orders', 'k'.repeat(513))).toBe('orders~L-Lq4MbVbWoeTCjH_su-JLzv4HhG0qHib0IhZD2UmXo');
  });

  it('belongs to one scope and key only', () => {
    const rowKeys = shortPairs.map(([scope, key]) => rowKey(scope, key));
    expect(new Set(rowKeys).size).toBe(shortPairs.length);
  });

  it.each([
    [
      ['a', 'bc'],
      ['ab', 'c'],
    ],
    [
      ['a#b', 'c'],
      ['a', 'b#c'],
    ],
    [
      ['a', '#b'],
      ['a#', 'b'],
    ],
    [
      ['a%23', 'b'],
      ['a#', 'b'],
    ],
    [
      ['a~', 'b'],
      ['a', '~b'],
    ],
    [
      ['a', '\ud800'],
      ['a', '\ud801'],
    ],
    [
      ['a', '\ud800'],
      ['a', '\ufffd'],
    ],
    [
      ['\ud800', 'a'],
      ['\udc00', 'a'],
    ],
    [
      ['a', `${'k'.repeat(512)}1`],
      ['a', `${'k'.repeat(512)}2`],
    ],
    [
      [`${'s'.repeat(512)}1`, 'a'],
      [`${'s'.repeat(512)}2`, 'a'],
    ],
    [
      ['a', 'é'],
      ['a', 'e\u0301'],
    ],
    [
      ['a', 'K'],
      ['a', 'k'],
    ],
    [
      ['a', ' k'],
      ['a', 'k'],
    ],
  ] as const)('tells two pairs apart, case %#', (one, other) => {
    expect(rowKey(one[0], one[1])).not.toBe(rowKey(other[0], other[1]));
  });

  it('keeps its distance from a hash that is used as a key or a scope', () => {
    const long = 'k'.repeat(600);
    const hashed = rowKey('a', long).slice('a~'.length);
    expect(rowKey('a', hashed)).not.toBe(rowKey('a', long));
    expect(rowKey('a', `~${hashed}`)).not.toBe(rowKey('a', long));
    const hashedScope = rowKey(long, '1').slice(0, -'#1'.length);
    expect(rowKey(hashedScope, '1')).not.toBe(rowKey(long, '1'));
  });

  it('survives UTF-8 and stays far below the 2,048 bytes of a partition key', () => {
    fc.assert(
      fc.property(pair, ([scope, key]) => {
        for (const text of [
          rowKey(scope, key),
          unkeyedRowKey(scope, key),
          rowKey(callerScope(scope, key), key),
        ]) {
          expect(Buffer.from(text).toString()).toBe(text);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_026);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps a key of 512 bytes legible and hashes one of 513, counted in UTF-8', () => {
    expect(rowKey('a', 'ä'.repeat(256))).toBe(`a#${'ä'.repeat(256)}`);
    expect(rowKey('a', `${'ä'.repeat(256)}b`)).toMatch(/^a~[\w-]{43}$/);
  });
});

describe('the namespace of messages without a key', () => {
  it('is reached by no key and no scope', () => {
    const keyed = new Set(shortPairs.map(([scope, key]) => rowKey(scope, key)));
    expect(shortPairs.filter(([scope, messageId]) => keyed.has(unkeyedRowKey(scope, messageId)))).toEqual([]);
    expect(rowKey('orders!', 'm-1')).not.toBe(unkeyedRowKey('orders', 'm-1'));
    expect(rowKey('orders', '!#m-1')).not.toBe(unkeyedRowKey('orders', 'm-1'));
  });

  it('holds one row for each scope and message id', () => {
    const rowKeys = shortPairs.map(([scope, messageId]) => unkeyedRowKey(scope, messageId));
    expect(new Set(rowKeys).size).toBe(shortPairs.length);
  });
});

describe("a caller's scope", () => {
  it('belongs to one endpoint and one caller only', () => {
    const rowKeys = shortPairs.map(([scope, caller]) => rowKey(callerScope(scope, caller), 'k'));
    expect(new Set(rowKeys).size).toBe(shortPairs.length);
    expect(callerScope('a', 'bc')).not.toBe(callerScope('ab', 'c'));
    expect(callerScope('a\u001fb', 'c')).not.toBe(callerScope('a', 'b\u001fc'));
  });

  it('is no scope that a consumer may have, whatever the caller is called', () => {
    const consumers = new Set(plainScopes.map((scope) => rowKey(scope, 'k')));
    for (const [scope, caller] of shortPairs) {
      expect(consumers.has(rowKey(callerScope(scope, caller), 'k'))).toBe(false);
    }
    expect(() => checkedScope(callerScope('orders', 'ann'))).toThrow('without control characters');
    expect(rowKey('orders%1Fann', '1')).not.toBe(rowKey(callerScope('orders', 'ann'), '1'));
  });
});

describe('a scope', () => {
  it('is taken as written', () => {
    expect(checkedScope(' Capture payment #1 ')).toBe(' Capture payment #1 ');
  });

  it.each([undefined, null, '', '  ', '\t', 'a\u0000', 'a\u001fb', 7, {}])(
    'is refused when it is %j',
    (scope) => {
      expect(() => checkedScope(scope)).toThrow(expect.objectContaining({ name: 'ConfigurationError' }));
    },
  );
});

describe('the hash of a row key', () => {
  it('names the row without telling the key', () => {
    expect(keyHash(rowKey('orders', 'ann@example.com'))).toMatch(/^[0-9a-f]{16}$/);
    expect(keyHash('orders#1')).toBe(keyHash('orders#1'));
    expect(keyHash('orders#1')).not.toBe(keyHash('orders#2'));
  });
});
