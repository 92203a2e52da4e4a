import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../lib/arrive/canonical.ts';

/** The same rules said by value, for texts whose numbers are written the way JavaScript writes them. */
function byValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(byValue).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${byValue(member)}`).join(',')}}`;
}

describe('the canonical form of a JSON text', () => {
  it.each([
    ['{"b": [1.0, "\\u0041"], "a": null}', '{"a":null,"b":[1.0,"A"]}'],
    [' \t\r\n{ } ', '{}'],
    ['[ ]', '[]'],
    ['[[],{},[{}]]', '[[],{},[{}]]'],
    [' "x" ', '"x"'],
    ['null', 'null'],
    ['true', 'true'],
    [' -1.5E+10 ', '-1.5E+10'],
    ['{"a":{"d":1,"c":2},"B":{"b":[{"z":1,"y":2}]}}', '{"B":{"b":[{"y":2,"z":1}]},"a":{"c":2,"d":1}}'],
    ['{"10":1,"9":2,"_":3,"Z":4,"a":5,"ä":6,"z":7}', '{"10":1,"9":2,"Z":4,"_":3,"a":5,"z":7,"ä":6}'],
    ['{"a":1,"a!":2,"a b":3}', '{"a":1,"a b":3,"a!":2}'],
    ['{"":1,"a":2}', '{"":1,"a":2}'],
    ['{"__proto__":{"x":1},"a":2}', '{"__proto__":{"x":1},"a":2}'],
    ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"a":1,"\\u0061":2}', '{"a":2}'],
    ['{"b":0,"a":1,"a":{"a":2,"a":3},"a":4}', '{"a":4,"b":0}'],
    ['["a\\"b","\\\\","\\\\\\"","\\/","\\u00e9"]', '["a\\"b","\\\\","\\\\\\"","/","é"]'],
    ['["\\ud83d\\ude00"]', '["😀"]'],
    ['"\\ud800"', '"\\ud800"'],
    ['"\ud800"', '"\\ud800"'],
    ['["a,b","{","]",":"]', '["a,b","{","]",":"]'],
  ])('of %j is %j', (text, form) => {
    JSON.parse(text);
    expect(canonicalJson(text)).toBe(form);
  });

  it.each([
    ['9007199254740993', '9007199254740992'],
    ['12345678901234567890', '12345678901234567891'],
    ['0.1', '0.10000000000000000001'],
    ['1', '1.0'],
    ['1', '1e0'],
    ['1e5', '1E5'],
    ['-0', '0'],
    ['[1,2]', '[2,1]'],
    ['[[1],2]', '[1,[2]]'],
    ['[1,23]', '[12,3]'],
    ['["1"]', '[1]'],
    ['"null"', 'null'],
    ['{}', '[]'],
    ['{"a":null}', '{}'],
    ['"é"', '"e\u0301"'],
    ['"\ud800"', '"\udc00"'],
    ['"\\ud800"', '"\ufffd"'],
    ['{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}'],
    ['{"a":"b\\",\\"c"}', '{"a":"b","c":""}'],
  ])('tells %s from %s', (one, other) => {
    expect(canonicalJson(`{"value":${one}}`)).not.toBe(canonicalJson(`{"value":${other}}`));
  });

  it('says the same as sorting by value, for any value and any spacing', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }),
        fc.constantFrom(0, 1, '\t'),
        (value, spacing) => {
          const text = JSON.stringify(value, null, spacing);
          expect(canonicalJson(text)).toBe(byValue(JSON.parse(text)));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('is the form of itself', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(canonicalJson(canonicalJson(text))).toBe(canonicalJson(text));
      }),
    );
  });

  it('does not depend on the order members were written in', () => {
    const member = fc.tuple(fc.string(), fc.integer());
    fc.assert(
      fc.property(
        fc.uniqueArray(member, { selector: ([name]) => name }),
        fc.infiniteStream(fc.nat()),
        (members, chance) => {
          const written = (entries: readonly (readonly [string, number])[]) =>
            `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
          const shuffled = members
            .map((entry) => ({ entry, place: chance.next().value as number }))
            .sort((left, right) => left.place - right.place)
            .map(({ entry }) => entry);
          expect(canonicalJson(written(shuffled))).toBe(canonicalJson(written(members)));
        },
      ),
    );
  });

  it('is found for every nesting JSON.parse takes', () => {
    const depth = 200_000;
    const text = '['.repeat(depth) + ']'.repeat(depth);
    JSON.parse(text);
    expect(canonicalJson(text)).toBe(text);
  });

  it('is found in time for wide objects in any order', () => {
    const names = Array.from({ length: 50_000 }, (_, place) => `k${100_000 - place}`);
    const text = `{${names.map((name) => `"${name}":1`).join(',')}}`;
    expect(canonicalJson(text)).toBe(
      `{${names
        .toSorted()
        .map((name) => `"${name}":1`)
        .join(',')}}`,
    );
  });

  it.each(['', ' ', '"a', '{', '[', '{"a"', '{"a":', '[1,', '*', '\\', '"\\"', 'Ä'])(
    'ends with an error on %j, which is no JSON',
    (text) => {
      expect(() => canonicalJson(text)).toThrow(SyntaxError);
    },
  );
});
