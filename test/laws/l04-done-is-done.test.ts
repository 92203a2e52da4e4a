/**
 * L4, done is done: once an outcome is recorded and until retention ends, the handler never runs for that key
 * again, and a duplicate is acknowledged with the outcome the first caller got.
 */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../lib/settle/outcome.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Face, faces, type WorldOptions, world } from '../support/rig.ts';
import { caught, withoutCondition } from '../support/twins.ts';

const results: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['zero', 0],
  ['an empty text', ''],
  ['false', false],
  ['an empty list', []],
  ['an object', { charge: 'ch_1', amount: 1200 }],
];

async function duplicateGetsTheFirstOutcome(twin: WorldOptions, face: Face, result: unknown): Promise<void> {
  const w = world(twin);
  const outcomes: Outcome[] = [];
  let runs = 0;
  const deliver = w.consumer(
    () => {
      runs += 1;
      return result;
    },
    { onDuplicate: (_message: unknown, outcome: Outcome) => void outcomes.push(outcome) },
    face,
  );
  const message = record('m1');
  for (let delivery = 1; delivery <= 10; delivery += 1) {
    const answer = await deliver([again(message, delivery)], w.clock.context(30_000));
    expect(failedIds(answer)).toEqual([]);
    await w.clock.pass(60_000);
  }
  expect(runs).toBe(1);
  expect(outcomes).toHaveLength(9);
  for (const outcome of outcomes) expect(outcome).toEqual({ status: 'completed', result });
  expect(w.seen.of('parked')).toEqual([]);
  expect(w.clock.timers).toBe(0);
}

describe.each(faces)('behind %s', (face) => {
  it.each(results)(
    'a duplicate of a message whose handler returned %s does not run and gets the same',
    (_, result) => duplicateGetsTheFirstOutcome({}, face, result),
  );
});

/** A store that takes a recorded outcome for a released claim. */
const forgetsOutcomes: WorldOptions = {
  table: withoutCondition(/#status = /),
  store: (store) => ({ ...store, acquire: (...asked) => store.acquire(...asked).then(forgetful) }),
};

function forgetful(landing: Awaited<ReturnType<ClaimStore['acquire']>>) {
  return landing.status === 'refused' && landing.row?.status === 'completed'
    ? { ...landing, row: { ...landing.row, status: 'released' as const } }
    : landing;
}

it('a store that forgets outcomes is caught', () =>
  caught(duplicateGetsTheFirstOutcome(forgetsOutcomes, 'consumeOnce', 1)));

describe('retention', () => {
  it('is refreshed by duplicates, so an outcome is known as long as they come', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
      },
      { retentionSeconds: 1_000 },
    );
    // Each comes past the half of what is left and before the end.
    for (let delivery = 1; delivery <= 8; delivery += 1) {
      const sentAt = new Date(w.clock.wallMillis());
      expect(failedIds(await deliver([record('m1', { receives: delivery, sentAt })]))).toEqual([]);
      await w.clock.pass(700_000);
    }
    expect(runs).toBe(1);
    await w.clock.pass(700_000);
    const sentAt = new Date(w.clock.wallMillis());
    expect(failedIds(await deliver([record('m1', { sentAt })]))).toEqual([]);
    expect(runs).toBe(2);
  });
});
