import { describe, expect, test } from 'vitest';
import { createKiller } from '../../../lib/local/demo/killer.ts';
import type { RunnerEvent } from '../../../lib/local/events.ts';

function delivered(worker: number, requestId: string, ...orderIds: string[]): RunnerEvent {
  const deliveries = orderIds.map((orderId) => ({
    duplicated: false,
    record: { body: JSON.stringify({ orderId }) },
  }));
  return { type: 'delivered', worker, requestId, deliveries } as unknown as RunnerEvent;
}

const failed = (requestId: string) => ({ type: 'failed', requestId }) as RunnerEvent;

function watch(...killAtCharge: number[]) {
  const killed: number[] = [];
  const killer = createKiller(killAtCharge, (worker) => killed.push(worker));
  return { killer, killed };
}

describe('the killer', () => {
  test('kills the worker that waits for the charge that is due, and no other', () => {
    const { killer, killed } = watch(2);
    killer.hear(delivered(0, 'r-0', 'a'));
    killer.hear(delivered(1, 'r-1', 'b', 'c'));
    for (const orderId of ['a', 'b', 'c']) killer.charged(orderId);
    expect(killed).toEqual([1]);
    expect(killer.kills).toBe(1);
  });

  test('takes the first of two that have the order, for the other is a duplicate', () => {
    const { killer, killed } = watch(1);
    killer.hear(delivered(0, 'r-0', 'a'));
    killer.hear(delivered(1, 'r-1', 'a'));
    killer.charged('a');
    expect(killed).toEqual([0]);
  });

  test('never counts a kill of a worker that is dying or done: the next charge makes up for it', () => {
    const { killer, killed } = watch(1, 2);
    killer.hear(delivered(0, 'r-0', 'a', 'b'));
    killer.charged('a');
    killer.charged('b');
    expect(killed).toEqual([0]);
    killer.hear(delivered(1, 'r-1', 'c'));
    killer.hear(failed('r-1'));
    killer.charged('c');
    expect(killed).toEqual([0]);
    killer.hear(delivered(1, 'r-2', 'd'));
    killer.charged('d');
    expect(killed).toEqual([0, 1]);
  });
});
