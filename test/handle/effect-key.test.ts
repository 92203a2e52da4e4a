import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowKey } from '../../lib/arrive/row-key.ts';
import { EffectKeyExpiredError } from '../../lib/errors.ts';
import { effectKey, ensureEffectKeyAlive } from '../../lib/handle/effect-key.ts';

describe('an effect key', () => {
  // A changed hash would repeat every effect of every message in the air during a deployment.
  test.each([
    [rowKey('capture-payment', 'A-17'), 'capture', undefined, 'zBixX5Hn24C3x8sBWanHHu1WHPn7R6NdVn2WfhVJNqQ'],
    [rowKey('capture-payment', 'A-17'), 'capture', 1, 'egLse9SfnNgCNFEK4EcnbWZArgurIo_265zjw_1XsxI'],
    [rowKey('capture-payment', 'A-17'), 'mail', undefined, 'JWKdPNHgD3t_90RX_SEK3YIXdiGQWemV16MalC2pku4'],
    [rowKey('courier', 'A-17'), 'capture', undefined, '-YGOKsM0cQbQEnnpGRZyYnodu0Zeo7EUyPGOc1Jjg-o'],
    [rowKey('courier', 'ä\u{1f600}\ud800'), 'größe', 12, 'njSX87cHqYKFBhDwrU9zMr6FY57IfVdwOEvAJdOt69s'],
  ])('of row %j, effect %j and generation %j never changes', (row, name, generation, key) => {
    expect(effectKey(row, name, generation)).toBe(key);
  });

  test('is 43 characters of [A-Za-z0-9_-], whatever it is made from', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.nat(),
        (row, name, generation) => {
          fc.pre(name.trim() !== '');
          expect(effectKey(row, name, generation)).toMatch(/^[\w-]{43}$/);
        },
      ),
    );
  });

  test('differs whenever row, name or generation do, wherever one ends and the next begins', () => {
    const part = fc.string({
      unit: fc.constantFrom(...'"\\,[]ab#0\u001f\ud800'),
      minLength: 1,
      maxLength: 4,
    });
    const facts = fc.tuple(part, part, fc.nat({ max: 3 }));
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const same = one.every((fact, place) => fact === other[place]);
        expect(effectKey(...one) === effectKey(...other)).toBe(same);
      }),
    );
  });

  test('of the first generation is the one of a row that states none', () => {
    expect(effectKey('s#k', 'capture', 0)).toBe(effectKey('s#k', 'capture', undefined));
  });

  test.each([
    ['', '""'],
    ['  ', '"  "'],
    [undefined, 'of type undefined'],
    [7, 'of type number'],
  ])('needs a name: %j is refused', (name, said) => {
    expect(() => effectKey('s#k', name as string, undefined)).toThrow(TypeError);
    expect(() => effectKey('s#k', name as string, undefined)).toThrow(said);
  });
});

describe('the lifetime of an effect key', () => {
  const age = { name: 'capture', bornAtMillis: 1_000_000, lifetimeSeconds: 86_400, scope: 'capture-payment' };

  test('ends when the provider may have forgotten it, to the millisecond', () => {
    const ends = 1_000_000 + 86_400_000;
    expect(() => ensureEffectKeyAlive({ ...age, nowMillis: ends - 1 })).not.toThrow();
    expect(() => ensureEffectKeyAlive({ ...age, nowMillis: ends })).toThrow(EffectKeyExpiredError);
  });

  test('is not over before it began, where clocks disagree', () => {
    expect(() => ensureEffectKeyAlive({ ...age, nowMillis: 999_000 })).not.toThrow();
  });

  test('is over when the age is unknown', () => {
    const unknown = () => ensureEffectKeyAlive({ ...age, bornAtMillis: Number.NaN, nowMillis: 1_000_000 });
    expect(unknown).toThrow(EffectKeyExpiredError);
  });

  test('ends with a reason a person can act on', () => {
    const late = () => ensureEffectKeyAlive({ ...age, nowMillis: 1_000_000 + 93_600_500 });
    expect(late).toThrow(
      'the effect "capture" was first tried 1 day 2 hours ago and its provider remembers keys for 1 day: tried again, it may ' +
        'happen twice. Look up at the provider whether it happened; if so, drop the message, if not, redrive it with new effects',
    );
    expect(late).toThrow(expect.objectContaining({ scope: 'capture-payment' }));
  });

  test.each([
    [0, 'is 0'],
    [-1, 'is -1'],
    [Number.NaN, 'is NaN'],
    ['60', 'of type string'],
  ])('of %j is refused', (lifetimeSeconds, said) => {
    const wrong = { ...age, nowMillis: 1_000_000, lifetimeSeconds: lifetimeSeconds as number };
    expect(() => ensureEffectKeyAlive(wrong)).toThrow(TypeError);
    expect(() => ensureEffectKeyAlive(wrong)).toThrow(said);
  });
});
