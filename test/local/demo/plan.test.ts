import { describe, expect, test } from 'vitest';
import { closedMerchant, drawPlan, settleDemoOptions } from '../../../lib/local/demo/plan.ts';

const options = settleDemoOptions({ messages: 100, kills: 5, poison: 7, seed: 42 });

describe('a plan', () => {
  test('is the same for the same seed and another for another', () => {
    expect(drawPlan(options)).toEqual(drawPlan({ ...options }));
    expect(drawPlan({ ...options, seed: 43 }).orders).not.toEqual(drawPlan(options).orders);
  });

  test('has as much of everything as it was asked for', () => {
    const { orders, killAtCharge, poison, refunded, voidedLate } = drawPlan(options);
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(100);
    expect(killAtCharge).toHaveLength(5);
    expect(killAtCharge).toEqual(killAtCharge.toSorted((one, other) => one - other));
    expect(poison.size).toBe(7);
    expect([refunded.size, voidedLate.size]).toEqual([10, 10]);
  });

  test('gives the merchant nobody knows to poison and to nothing else', () => {
    const { orders, poison } = drawPlan(options);
    const closed = orders.filter(({ merchantId }) => merchantId === closedMerchant);
    expect(new Set(closed.map(({ orderId }) => orderId))).toEqual(poison);
  });

  test('neither refunds nor voids poison, which is captured after everything else', () => {
    const { poison, refunded, voidedLate } = drawPlan(options);
    expect([...poison].filter((orderId) => refunded.has(orderId) || voidedLate.has(orderId))).toEqual([]);
  });
});

describe('options that cannot be', () => {
  test.each<[Partial<typeof options>, string]>([
    [{ messages: 0 }, 'messages is 0; give a whole number from 1 to 10000'],
    [{ messages: 1.5 }, 'messages is 1.5'],
    [{ workers: 17 }, 'workers is 17; give a whole number from 1 to 16'],
    [{ messages: 10, kills: 6 }, 'kills is 6; give a whole number from 0 to 5'],
    [{ messages: 10, kills: 1, poison: 10 }, 'poison is 10; give a whole number from 0 to 9'],
    [{ poison: 1, withoutClaims: true }, 'poison is 1; give a whole number from 0 to 0'],
    [{ seed: -1 }, 'seed is -1'],
  ])('%j are refused with what would do', (given, message) => {
    expect(() => settleDemoOptions({ seed: 1, ...given })).toThrow(message);
  });
});
