import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkedKey } from '../../lib/arrive/key.ts';
import { rejectionsUnheardIn } from '../support/unheard.ts';

describe('a key', () => {
  it.each([
    ['A-17', 'A-17'],
    [' A-17 ', ' A-17 '],
    ['0', '0'],
    ['undefined', 'undefined'],
    [0, '0'],
    [-0, '0'],
    [17, '17'],
    [-17, '-17'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [Number.MIN_SAFE_INTEGER, '-9007199254740991'],
  ])('that is %j is used as %j', (value, key) => {
    expect(checkedKey(value)).toBe(key);
  });

  it.each([
    [undefined, 'key is undefined'],
    [null, 'key is null'],
    ['', 'key is an empty string'],
    ['  \n\u00a0\ufeff', 'key is a blank string'],
    [Number.NaN, 'key is NaN'],
    [Number.POSITIVE_INFINITY, 'key is Infinity'],
    [1.5, 'key is a number with a fraction'],
    [2 ** 53, 'key is an integer too large to be exact'],
    [17n, 'key is a bigint'],
    [true, 'key is a boolean'],
    [false, 'key is a boolean'],
    [{}, 'key is an object'],
    [new String('A-17'), 'key is an object'],
    [[], 'key is an array'],
    [[undefined, 'x'], 'key is an array'],
    [['x'], 'key is an array'],
    [Symbol('x'), 'key is a symbol'],
    [() => 'x', 'key is a function'],
    [Promise.resolve('x'), 'key is a promise'],
  ])('is never %o', (value, message) => {
    expect(() => checkedKey(value)).toThrow(
      expect.objectContaining({ name: 'NoKeyError', message: expect.stringContaining(`${message};`) }),
    );
  });

  it('is no revoked Proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => checkedKey(proxy)).toThrow('key is an object');
  });

  it('is no promise, whose failure then ends no process', async () => {
    const unheard = await rejectionsUnheardIn(() => {
      expect(() => checkedKey(Promise.reject(new Error('late')))).toThrow('key is a promise');
    });
    expect(unheard).toEqual([]);
  });

  it('is not quoted by the refusal', () => {
    const hidden = 1234567.25;
    let refusal: unknown;
    try {
      checkedKey(hidden);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Error);
    expect(inspect(refusal)).not.toContain('1234567');
  });
});
