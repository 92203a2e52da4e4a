/**
 * L4, done is done: once an outcome is recorded and until retention ends, the handler never runs for that key
 * again; a duplicate is acknowledged with the outcome the first caller got, and nothing that happens after
 * user code succeeded causes a rerun.
 */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../lib/settle/outcome.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { awsError, hang } from '../support/faulty-table.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Face, faces, type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout, withoutCondition } from '../support/twins.ts';

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

async function throttledSettleIsTriedAgain(twin: WorldOptions): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(() => {
    runs += 1;
  });
  w.faults.intercept((call) => {
    if (call.purpose === 'settle' && call.count <= 3) throw awsError('ThrottlingException');
    return call.make();
  });
  const message = record('m1');
  const answer = await w.clock.until(deliver([message], w.clock.context(30_000)));
  expect(failedIds(answer)).toEqual([]);
  expect(w.row('m1')?.status).toBe('completed');
  expect(w.seen.story('m1')).toEqual(['claimed', 'completed']);
  await w.clock.until(deliver([again(message)], w.clock.context(30_000)));
  expect(runs).toBe(1);
}

describe('an outcome the table does not take', () => {
  it('is tried again when the settle is throttled', () => throttledSettleIsTriedAgain({}));

  it('is tried again: an engine that gives up at once is caught', async () => {
    const engine = await engineWithout('settle/persist.ts', {
      persist: (_invocation: unknown, write: (limit: { timeoutMillis: number }) => Promise<unknown>) =>
        write({ timeoutMillis: 5_000 }).catch((error) => ({ status: 'unavailable', error })),
    });
    await caught(throttledSettleIsTriedAgain({ engine }));
  });

  it.each(['throttled', 'hanging', 'cut off'])('never costs a rerun: %s for good', (how) =>
    neverSettled({}, how),
  );
});

async function neverSettled(twin: WorldOptions, how: string): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(() => {
    runs += 1;
    return 'done';
  });
  w.faults.intercept((call) => {
    if (call.purpose !== 'settle') return call.make();
    if (how === 'hanging') return hang(call.signal);
    throw awsError(how === 'throttled' ? 'ProvisionedThroughputExceededException' : 'ECONNRESET');
  });
  const message = record('m1');
  const answer = await w.clock.until(deliver([message], w.clock.context(30_000)));
  expect(failedIds(answer)).toEqual([]);
  expect(w.seen.story('m1')).toEqual(['claimed', 'outcome-unrecorded']);
  expect(w.row('m1')?.status).toBe('leased');
  w.faults.heal();

  const duplicate = await deliver([again(message)], w.clock.context(30_000));
  expect(failedIds(duplicate)).toEqual(['m1']);
  expect(w.seen.story('m1').at(-1)).toBe('in-flight');
  expect(runs).toBe(1);
  expect(w.clock.timers).toBe(0);
}

it('a message of another that cannot be told does not bring the first back', async () => {
  const w = world();
  const runs: string[] = [];
  const deliver = w.consumer(({ key }: { key: string }) => void runs.push(key), {
    concurrency: 1,
    leaseSeconds: 200,
  });
  w.faults.intercept((call) => {
    if (call.purpose === 'settle') throw awsError('ThrottlingException');
    if (call.purpose === 'acquire' && call.count > 1) throw awsError('ResourceNotFoundException');
    return call.make();
  });
  // The table is throttled for the first and gone for the second: failing the invocation would repeat the first.
  const answer = await w.clock.until(deliver([record('m1'), record('m2')]));
  expect(failedIds(answer)).toEqual(['m2']);
  expect(runs).toEqual(['m1']);
});
