// What happened is counted as it happens, and why a handler did not even answer is not kept silent.
import { expect, test } from 'vitest';
import { createTally } from '../../../lib/local/chaos/tally.ts';
import type { RunnerEvent } from '../../../lib/local/events.ts';

const delivered = (receives: number, duplicated = false) =>
  ({
    type: 'delivered',
    worker: 0,
    requestId: 'r',
    deliveries: [{ duplicated, record: { attributes: { ApproximateReceiveCount: String(receives) } } }],
  }) as unknown as RunnerEvent;

test('a redelivery is a second receive or a second copy', () => {
  const tally = createTally();
  for (const event of [delivered(1), delivered(2), delivered(1, true)]) tally.hear(event);
  expect([tally.deliveries, tally.redeliveries]).toEqual([3, 2]);
});

test('outcomes are counted by kind, and a stranger’s own messages not at all', () => {
  const tally = createTally();
  const steps = [{ event: 'completed', at: 1 }, { event: 'completed', at: 2 }, { seen: 'mine' }];
  for (const step of steps) tally.hear({ type: 'step', worker: 0, step: { type: 'sqs-once', ...step } });
  expect([tally.told('completed'), tally.told('parked')]).toEqual([2, 0]);
});

test('a handler that throws is told of with its last word', () => {
  const tally = createTally();
  tally.hear({
    type: 'failed',
    worker: 0,
    requestId: 'r',
    durationMillis: 1,
    reason: 'threw',
    error: { name: 'TypeError', message: 'the kettle is cold' },
    returned: [],
  });
  expect(tally.throws).toEqual({ count: 1, last: 'TypeError: the kettle is cold' });
});
