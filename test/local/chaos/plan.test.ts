// One seed draws everything: what is sent, what cannot succeed, and what goes wrong when.
import { describe, expect, test } from 'vitest';
import { settleChaosOptions, usualMischief } from '../../../lib/local/chaos/options.ts';
import { drawPlan } from '../../../lib/local/chaos/plan.ts';
import { crashPointNames } from '../../../lib/local/chaos/points.ts';

describe('the plan', () => {
  test('is the same for the same seed and another for another', () => {
    const planOf = (seed: number) => drawPlan(settleChaosOptions({ seed, messages: 300 }));
    expect(planOf(4)).toEqual(planOf(4));
    expect(planOf(4).mischief).not.toEqual(planOf(5).mischief);
  });

  test('has as much of each mischief as was asked for, in the order in which it is due', () => {
    const { mischief } = drawPlan(
      settleChaosOptions({
        seed: 1,
        messages: 300,
        kills: 5,
        pauses: 3,
        drops: 4,
        crashAt: ['parking'],
        crashTimes: 2,
      }),
    );
    const counted = Map.groupBy(mischief, ({ kind }) => kind);
    expect(Object.fromEntries([...counted].map(([kind, all]) => [kind, all.length]))).toEqual({
      kill: 5,
      pause: 3,
      drop: 4,
      delay: 4,
      crash: 2,
    });
    const due = mischief.map(({ dueAt }) => dueAt);
    expect(due).toEqual([...due].sort((one, other) => one - other));
    expect(due.at(-1)).toBeLessThanOrEqual(300 * 0.8);
  });

  test('has poison to crash at while parking, and none for a handler that knows none', () => {
    const poisonOf = (given: object) =>
      drawPlan(settleChaosOptions({ seed: 1, messages: 300, ...given })).poison.size;
    expect(poisonOf({ crashAt: ['parking'], crashTimes: 5 })).toBe(24);
    expect(poisonOf({ handler: 'test/local/handlers/obedient.handler' })).toBe(0);
    expect(poisonOf({ broken: 'no-claims' })).toBe(0);
  });
});

describe('the options', () => {
  test('mean all mischief where none is named, and only what is named where some is', () => {
    const all = settleChaosOptions({ seed: 1, messages: 20_000 });
    expect(all).toMatchObject({
      kills: 400,
      pauses: 100,
      drops: 400,
      crashTimes: 20,
      crashAt: crashPointNames,
    });
    expect(settleChaosOptions({ seed: 1, messages: 20_000, kills: 7 })).toMatchObject({
      kills: 7,
      pauses: 0,
      drops: 0,
      duplicateShare: 0,
      crashAt: [],
    });
    expect(usualMischief(1)).toEqual({ kills: 1, pauses: 1, drops: 1, duplicateShare: 0.25, crashTimes: 1 });
  });

  test('are refused with the value got and what would do', () => {
    expect(() => settleChaosOptions({ seed: 1, messages: 0 })).toThrow(
      '--messages is 0; give a whole number from 1',
    );
    expect(() => settleChaosOptions({ seed: 1, workers: 65 })).toThrow('--workers is 65');
    expect(() => settleChaosOptions({ seed: 1, duplicateShare: 2 })).toThrow(
      '--duplicate is 2; give a share from 0 to 1',
    );
    expect(() => settleChaosOptions({ seed: 1, timeoutSeconds: 3 })).toThrow('--timeout is 3');
    expect(() => settleChaosOptions({ seed: 1, broken: 'no-fence', handler: 'a.b' })).toThrow(
      'leave --handler out',
    );
    expect(() => settleChaosOptions({ seed: 1, check: 'a.b' })).toThrow('give --handler too');
  });
});
