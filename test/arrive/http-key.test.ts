// The header Idempotency-Key has one rule: a quoted string or the same bare, once, of 1 to 255 characters.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerKey } from '../../lib/arrive/http-key.ts';

const read = (value: string) => headerKey({ 'idempotency-key': value });

describe('a key', () => {
  it.each([
    ['bare', '8e03-4a', '8e03-4a'],
    ['quoted, and no other than the bare one', '"8e03-4a"', '8e03-4a'],
    ['with what only quotes can hold', '"a, \\"b\\" \\\\ c"', 'a, "b" \\ c'],
    ['with semicolons and an equals sign', 'k;v=1', 'k;v=1'],
    ['between spaces', ' \t8e03 ', '8e03'],
    ['twice the same, as two headers are joined', '8e03,8e03', '8e03'],
    ['twice the same, once in quotes', '"8e03", 8e03', '8e03'],
    ['of one character', '"', undefined],
    ['of 255 characters', 'x'.repeat(255), 'x'.repeat(255)],
    ['of 255 characters in quotes', `"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s', (_, value, key) => {
    expect(read(value)).toEqual(
      key === undefined ? { status: 'malformed', why: expect.any(String) } : { status: 'key', key },
    );
  });

  it('is found by its lower-case name only, which every request has', () => {
    expect(headerKey({})).toEqual({ status: 'missing' });
    expect(headerKey({ 'idempotency-key-2': 'a' })).toEqual({ status: 'missing' });
  });
});

describe('no key, and never a guess', () => {
  it.each([
    ['nothing', '', 'empty'],
    ['blanks', '   ', 'empty'],
    ['empty quotes', '""', 'empty'],
    ['blanks in quotes', '"  "', 'empty'],
    ['two keys', '8e03, 8e04', 'differently'],
    ['two quoted keys', '"a","b"', 'differently'],
    ['a key and an empty one', 'a, ""', 'differently'],
    ['256 characters', 'x'.repeat(256), '256'],
    ['10,000 characters', 'x'.repeat(10_000), '10000'],
    ['10,000 characters that never end their quotes', `"${'x'.repeat(10_000)}`, 'neither'],
    ['a space inside', 'a b', 'neither'],
    ['a key and nothing', 'a,', 'neither'],
    ['text behind the quotes', '"a"b', 'neither'],
    ['a parameter behind the quotes', '"a";v=1', 'neither'],
    ['a quote inside', 'a"b', 'neither'],
    ['an unknown escape', '"a\\n"', 'neither'],
    ['a control character', '"a\u0007"', 'neither'],
    ['a tab in quotes', '"a\tb"', 'neither'],
    ['a letter beyond ASCII', 'clé', 'neither'],
    ['a letter beyond ASCII in quotes', '"clé"', 'neither'],
  ])('%s', (_, value, why) => {
    expect(read(value)).toEqual({ status: 'malformed', why: expect.stringContaining(why) });
  });

  it('a reason never quotes the key', () => {
    expect(JSON.stringify(read('sec ret'))).not.toContain('ret');
  });
});

it('any printable key comes back from its quotes, and two different ones are never taken for one', () => {
  const printable = fc
    .string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
      minLength: 1,
      maxLength: 255,
    })
    .filter((key) => key.trim() !== '');
  const quoted = (key: string) => `"${key.replace(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(printable, printable, (key, other) => {
      expect(read(quoted(key))).toEqual({ status: 'key', key });
      expect(read(`${quoted(key)}, ${quoted(other)}`).status).toBe(key === other ? 'key' : 'malformed');
    }),
    { numRuns: 300 },
  );
});
