// How failed messages wait.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RetryLaterError } from '../../lib/errors.ts';
import { backoffMillis, longestReturnMillis } from '../../lib/settle/backoff.ts';
import { again, record } from '../support/records.ts';
import { world } from '../support/rig.ts';

const usual = { minSeconds: 30, maxSeconds: 900, factor: 3 };
const minuteMillis = 60_000;

describe('backoff', () => {
  test('spans at least ten minutes over five attempts, however the dice fall', () => {
    const luckiest = [1, 2, 3, 4].map((tries) => backoffMillis(usual, tries, 0));
    expect(luckiest.reduce((sum, wait) => sum + wait)).toBeGreaterThanOrEqual(10 * minuteMillis);
  });

  test('grows by the factor up to the most, with jitter in the upper half only', () => {
    const rule = fc.record({
      minSeconds: fc.integer({ min: 0, max: 600 }),
      maxSeconds: fc.integer({ min: 600, max: 43_200 }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
    });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(rule, fc.integer({ min: 0, max: 1_000 }), chance, (given, tries, dice) => {
        const grown = given.minSeconds === 0 ? 0 : given.minSeconds * given.factor ** Math.max(0, tries - 1);
        const most = Math.min(given.maxSeconds, grown) * 1_000;
        const wait = backoffMillis(given, tries, dice);
        expect(wait).toBeGreaterThanOrEqual(most / 2 - 1);
        expect(wait).toBeLessThanOrEqual(most + 1);
      }),
    );
  });

  test('goes by attempts of the message, on the receipt it came with, and nothing is sent', async () => {
    const w = world({ sqs: { maxReceiveCount: 100 } });
    const deliver = w.consumer(() => {
      throw new TypeError('no');
    });
    const waits: (number | undefined)[] = [];
    let delivery = record('m1', { receives: 40 });
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await deliver([delivery]);
      waits.push(w.sqs.visibility.get(delivery.receiptHandle));
      delivery = again(delivery);
    }
    // Jitter stands at the middle of the upper half: three quarters of 30, 90, 270 and 810 seconds.
    expect(waits).toEqual([23, 68, 203, 608]);
    expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
  });

  test('switched off leaves the queue’s visibility alone, but not what a handler asks for', async () => {
    const w = world();
    const deliver = w.consumer(
      ({ key }: { key: string }) => {
        throw key === 'm1' ? new TypeError('no') : new RetryLaterError({ afterSeconds: 5 });
      },
      { backoff: false },
    );
    const [first, second] = [record('m1'), record('m2')];
    await deliver([first, second]);
    expect(w.sqs.visibility.get(first.receiptHandle)).toBeUndefined();
    expect(w.sqs.visibility.get(second.receiptHandle)).toBe(5);
  });

  test('never asks for more than SQS gives: twelve hours from a receive that lies a while back', async () => {
    const w = world();
    const deliver = w.consumer(() => {
      throw new RetryLaterError({ afterSeconds: 43_200 });
    });
    const delivery = record('m1');
    await deliver([delivery]);
    const longestSeconds = longestReturnMillis / 1_000;
    const [windowSeconds, functionSeconds] = [300, 900];
    expect(w.sqs.visibility.get(delivery.receiptHandle)).toBe(longestSeconds);
    expect(longestSeconds + windowSeconds + functionSeconds).toBeLessThan(43_200);
  });
});
