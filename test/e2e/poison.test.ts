// Poison on real workers, in small; `npm run poison` shows the figures at full size.
import { describe, expect, test } from 'vitest';
import { amongNeighbours, killer } from './poison/neighbours.ts';
import { theWayBack } from './poison/way-back.ts';

const maxAttempts = 3;

describe.concurrent('poison', { timeout: 150_000 }, () => {
  test('that ends its worker is parked alone; none of its nine neighbours needs more than two attempts', async () => {
    const { mostAttemptsOfGoodOnes, ...seen } = await amongNeighbours(maxAttempts);
    expect(mostAttemptsOfGoodOnes).toBeLessThanOrEqual(2);
    expect(seen).toEqual({
      parked: [`orders#${killer.orderId}`],
      completed: 9,
      workersLost: maxAttempts,
      deadLetters: 1,
    });
  });

  test('among kills is parked, all of it and nothing else, and one redrive killed twice brings it back', async () => {
    const { before, redrives, after } = await theWayBack({
      messages: 60,
      poison: 5,
      kills: 2,
      workers: 2,
      maxAttempts,
    });
    expect(before).toMatchObject({ completed: 55, parked: 5, distinctDeadLetters: 5, divergences: [] });
    expect(redrives.map(({ ended, code, left }) => [ended, code, left > 0])).toEqual([
      ['killed', null, true],
      ['killed', null, true],
      ['done', 0, false],
    ]);
    expect(after).toEqual({
      completed: 60,
      parked: 0,
      distinctDeadLetters: 0,
      deadLetters: 0,
      divergences: [],
    });
  });
});
