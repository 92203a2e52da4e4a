/**
 * L5, in flight is not done: a duplicate of a running attempt is never acknowledged, never parked and never
 * run. It goes back to the queue, visible again at lease end plus skew.
 */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../lib/claim/decide.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Face, faces, middys, type WorldOptions, wholeEvent, world } from '../support/rig.ts';
import { caught, engineWithout, withoutCondition } from '../support/twins.ts';

async function duplicateOfARunningAttempt(twin: WorldOptions, face: Face): Promise<void> {
  const w = world({ ...twin, sqs: { maxReceiveCount: 5 } });
  let runs = 0;
  const deliver = w.consumer(
    async () => {
      runs += 1;
      await w.clock.wait(20_000);
    },
    { maxAttempts: 1 },
    face,
  );
  const message = record('m1');
  const first = deliver([message], w.clock.context(30_000));
  await w.clock.pass(10_000);

  // Its last attempt and its last delivery, and still: what runs may yet succeed.
  const duplicate = again(message, 5);
  expect(failedIds(await w.clock.until(deliver([duplicate], w.clock.context(5_000))))).toEqual(['m1']);
  // The lease is what the first invocation had left, 30 s, and a second; then comes the skew.
  expect(w.sqs.visibility.get(duplicate.receiptHandle)).toBe(30 + 1 + 1 - 10);
  expect(w.seen.of('in-flight')).toHaveLength(1);
  expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
  expect(w.row('m1')).toMatchObject({ status: 'leased', fence: 1, attempts: 1 });

  expect(failedIds(await w.clock.until(first))).toEqual([]);
  expect(runs).toBe(1);
  expect(w.row('m1')?.status).toBe('completed');
}

describe.each(faces)('behind %s', (face) => {
  it('a duplicate of a running attempt goes back until the lease is over', () =>
    duplicateOfARunningAttempt({}, face));
});

it('a store that shows every lease as over is caught', () =>
  caught(
    duplicateOfARunningAttempt(
      {
        table: withoutCondition(/\bleaseEndsAt <= /),
        store: (store) => ({
          ...store,
          async acquire(...asked) {
            const landing = await store.acquire(...asked);
            return landing.status === 'refused' && landing.row !== undefined
              ? { ...landing, row: { ...landing.row, leaseEndsAt: 0 } }
              : landing;
          },
        }),
      },
      'consumeOnce',
    ),
  ));

it.each(['duplicate', 'exhausted'] as const)(
  'an engine that takes a running attempt for %s is caught',
  async (status) => {
    const { decide } = await import('../../lib/claim/decide.ts');
    const twin: typeof decide = (row, wish) => {
      const decision: Decision = decide(row, wish);
      if (decision.status !== 'in-flight') return decision;
      return wish.purpose === 'park'
        ? { status: 'free', taking: 'continued', over: decision.row }
        : { status, row: decision.row };
    };
    const engine = await engineWithout('claim/decide.ts', { decide: twin });
    await caught(duplicateOfARunningAttempt({ engine }, 'consumeOnce'));
  },
);

async function longWorkUnderAShortLease(
  twin: WorldOptions,
  options: { leaseSeconds?: number },
): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(async () => {
    runs += 1;
    await w.clock.wait(300_000);
  }, options);
  const message = record('m1');
  // Outside Lambda nobody knows of a deadline.
  const first = deliver([message]);
  for (let delivery = 2; delivery < 12; delivery += 1) {
    await w.clock.pass(25_000);
    const duplicate = again(message, delivery);
    expect(failedIds(await w.clock.until(deliver([duplicate])))).toEqual(['m1']);
    const seconds = w.sqs.visibility.get(duplicate.receiptHandle) ?? Number.NaN;
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThanOrEqual((options.leaseSeconds ?? 60) + 1);
  }
  expect(failedIds(await w.clock.until(first))).toEqual([]);
  expect(runs).toBe(1);
  expect(w.clock.timers).toBe(0);
}

describe('a lease shorter than the work', () => {
  it('is kept alive by its heart where no deadline is known', () => longWorkUnderAShortLease({}, {}));
  it('is kept alive by its heart where it was asked for', () =>
    longWorkUnderAShortLease({}, { leaseSeconds: 3 }));

  it('is not: an engine without a heart is caught', async () => {
    const startHeartbeat = () => ({ stop: async () => {} });
    const engine = await engineWithout('handle/heartbeat.ts', { startHeartbeat });
    await caught(longWorkUnderAShortLease({ engine }, { leaseSeconds: 3 }));
  });
});

describe.each(middys)('a handler that takes its event whole, under %s', (_, middy) => {
  it('is not given a message that runs elsewhere, and is not called when there is no other', async () => {
    const w = world();
    const seen: string[][] = [];
    const deliver = wholeEvent(middy, w.options(), async ({ Records }) => {
      seen.push(Records.map(({ messageId }) => messageId));
      await w.clock.wait(10_000);
    });
    const message = record('m1');
    const first = deliver([message], w.clock.context(30_000));
    await w.clock.pass(1_000);
    expect(failedIds(await w.clock.until(deliver([again(message)], w.clock.context(30_000))))).toEqual([
      'm1',
    ]);
    const beside = deliver([again(message, 3), record('m2')], w.clock.context(30_000));
    expect(failedIds(await w.clock.until(beside))).toEqual(['m1']);
    expect(failedIds(await w.clock.until(first))).toEqual([]);
    expect(seen).toEqual([['m1'], ['m2']]);
  });
});
