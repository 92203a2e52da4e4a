// L11: retention outlives redelivery. A claim lives longer than the longest path SQS can take to deliver its
// message again; a delivery older than that, received before, whose row is gone is parked for a person, never
// run silently. A backlog that simply waited is not parked.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redriveMarkOf } from '../../lib/arrive/once-attribute.ts';
import * as asking from '../../lib/claim/claim-arrival.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import * as lease from '../../lib/lease.ts';
import * as windows from '../../lib/window.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { startMillis } from '../support/hand-clock.ts';
import { crashedRow, deadLetterOf, parkedIn, redriven, storiesIn } from '../support/parking/dead-letters.ts';
import { again, failedIds, fifoRecord, record } from '../support/records.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout, type Law } from '../support/twins.ts';

type LawOfRetention = Law<WorldOptions>;

const day = 86_400;
const dayMillis = day * 1_000;
const patient = { maxReceiveCount: 100 };

/** Sent so many days before the test begins. */
const sent = (days: number) => ({ sentAt: new Date(startMillis - days * dayMillis) });

const outlivedParks: LawOfRetention = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  let ran = 0;
  const deliver = w.consumer(() => {
    ran += 1;
  });
  expect(failedIds(await deliver([record('m1', { receives: 2, ...sent(30) })]))).toEqual([]);
  expect(ran).toBe(0);
  expect(storiesIn(w)).toMatchObject([{ reason: 'beyond-retention', attempts: 0 }]);
};

/** Parked on day 13, redriven on day 44: to SQS the message is new, and its row is gone. */
const ageIsCarried: LawOfRetention = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  let ran = 0;
  const deliver = w.consumer(() => {
    ran += 1;
    throw new PoisonMessageError('no such currency');
  });
  await deliver([record('m1', sent(13))]);
  const [parked] = parkedIn(w);
  await w.clock.pass(31 * dayMillis);
  expect(w.row('m1')?.expiresAt).toBeLessThan(w.clock.wallMillis() / 1_000);
  const sentAt = new Date(w.clock.wallMillis());
  const letter = deadLetterOf(parked as never, 'dead-letter-1');
  expect(failedIds(await deliver([redriven(letter, 'm2', { sentAt })]))).toEqual([]);
  expect(ran).toBe(1);
  expect(storiesIn(w)[1]).toMatchObject({ reason: 'beyond-retention', sentAt: startMillis - 13 * dayMillis });
};

/** The row was written by a clock that is behind: it goes a moment before its message is as old as rows get. */
const slowClocksCount: LawOfRetention = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  let ran = 0;
  const count = () => {
    ran += 1;
  };
  const deliver = w.consumer(count, { retentionSeconds: 3_600 });
  const message = record('m1', { sentAt: new Date(startMillis + 800) });
  w.clock.jump({ wall: -50 });
  await deliver([message]);
  w.clock.jump({ wall: 850 });
  await w.clock.pass(3_600_000 - 700);
  expect(w.row('m1')?.expiresAt).toBeLessThanOrEqual(w.clock.wallMillis() / 1_000);
  expect(failedIds(await deliver([again(message)]))).toEqual([]);
  expect(ran).toBe(1);
};

/** Its key was used again once its row was gone, and that run left without a word. */
const laterRowsVouchForNothing: LawOfRetention = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  const ran: string[] = [];
  const deliver = w.consumer(({ body }: { body: { id: string } }) => void ran.push(body.id), {
    key: () => 'one',
    fingerprint: false,
    retentionSeconds: 3_600,
  });
  const first = record('m1', { body: { id: 'first' }, sentAt: new Date(startMillis) });
  await deliver([first]);
  await w.clock.pass(2 * 3_600_000);
  const atMillis = w.clock.wallMillis();
  const later = { ...crashedRow('one'), messageId: 'm2', firstClaimedAt: atMillis, claimedAt: atMillis };
  w.seed({ ...later, leaseEndsAt: atMillis + 60_000, expiresAt: atMillis / 1_000 + 3_600 });
  await w.clock.pass(90_000);
  expect(failedIds(await deliver([again(first)]))).toEqual([]);
  expect(ran).toEqual(['first']);
  expect(storiesIn(w)).toMatchObject([{ reason: 'beyond-retention' }]);
  const letter = deadLetterOf(parkedIn(w)[0] as never, 'dead-letter-1');
  expect(failedIds(await deliver([redriven(letter, 'm3')]))).toEqual([]);
  expect(ran).toEqual(['first', 'first']);
};

const everyTouchRefreshes: LawOfRetention = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  const kept: number[] = [];
  const note = () => kept.push(((w.row('m1')?.expiresAt ?? 0) * 1_000 - w.clock.wallMillis()) / dayMillis);
  let trouble: Error | undefined = new TypeError('not yet');
  const deliver = w.consumer(() => {
    note();
    if (trouble !== undefined) throw trouble;
  });
  await deliver([record('m1')]);
  note();
  await w.clock.pass(10 * dayMillis);
  trouble = undefined;
  await deliver([again(record('m1'), 2)]);
  note();
  await w.clock.pass(20 * dayMillis);
  await deliver([again(record('m1'), 3)]);
  note();
  expect(kept.map(Math.round)).toEqual([29, 29, 29, 29, 29]);
};

describe('retention', () => {
  test('by default outlives every path SQS allows with one redrive', () => {
    const queueSeconds = fc.integer({ min: 60, max: 14 * day });
    fc.assert(
      fc.property(
        queueSeconds,
        queueSeconds,
        fc.boolean(),
        (retentionSeconds, deadLetterRetentionSeconds, fifo) => {
          const path = { retentionSeconds, deadLetterRetentionSeconds, fifo, redrives: 1 };
          const { seconds } = windows.redeliveryWindow(path);
          expect(windows.defaultRetentionSeconds(fifo)).toBeGreaterThan(seconds);
        },
      ),
    );
  });

  test('is that of the queue the record names: 29 days, 57 in a FIFO queue', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done');
    await deliver([record('m1')]);
    await deliver([fifoRecord('a1')]);
    const days = (key: string) => ((w.row(key)?.expiresAt ?? 0) - startMillis / 1_000) / day;
    expect([days('m1'), days('a1')]).toEqual([29, 57]);
  });

  test('starts anew with every claim, release, settle and with a duplicate past its half', () =>
    everyTouchRefreshes({}));

  test('starts anew with a parking', async () => {
    const w = world();
    const deliver = w.consumer(async () => {
      await w.clock.pass(60_000);
      throw new PoisonMessageError('no such currency');
    });
    await deliver([record('m1')], w.clock.context(900_000));
    expect(w.row('m1')?.expiresAt).toBe((startMillis + 60_000 + 29 * dayMillis) / 1_000);
  });

  test('is kept in whole epoch seconds, which is what DynamoDB deletes by', async () => {
    const w = world();
    await w.clock.pass(123);
    await w.consumer(() => 'done')([record('m1')]);
    expect(String(w.row('m1')?.expiresAt)).toMatch(/^\d{10}$/);
  });
});

describe('a delivery older than retention', () => {
  test('that was received before and whose row is gone is parked and does not run', () => outlivedParks({}));

  test('takes its age along through parking and redrive', () => ageIsCarried({}));

  test('may have a row that another clock let go too early', () => slowClocksCount({}));

  test('runs when it simply waited', async () => {
    const w = world();
    await w.consumer(() => 'done')([record('m1', sent(300))]);
    expect(w.row('m1')?.status).toBe('completed');
    expect(parkedIn(w)).toEqual([]);
  });

  test('runs when its row is still there', async () => {
    const w = world({ sqs: patient });
    w.seed({ ...crashedRow('m1'), status: 'released' });
    await w.consumer(() => 'done')([record('m1', { receives: 2, ...sent(300) })]);
    expect(w.row('m1')?.status).toBe('completed');
  });

  test('does not take the row of a later message of its key for its own', () => laterRowsVouchForNothing({}));

  test('does not take a row that is expired and not yet deleted for one that lives', async () => {
    const w = world({ sqs: patient });
    w.seed({ ...crashedRow('m1'), status: 'released', expiresAt: startMillis / 1_000 - 3_600 });
    await w.consumer(() => expect.unreachable())([record('m1', { receives: 2, ...sent(300) })]);
    expect(storiesIn(w)).toMatchObject([{ reason: 'beyond-retention' }]);
  });

  test.each(['first', 'with-commit'] as const)('is parked under claim: %s', async (claim) => {
    const w = world({ sqs: patient });
    const deliver = w.consumer(() => expect.unreachable(), { claim });
    await deliver([record('m1', { receives: 2, ...sent(30) })]);
    expect(storiesIn(w)).toMatchObject([{ reason: 'beyond-retention' }]);
  });

  test('runs when a person brings it back from that parking: now its row vouches for it', async () => {
    const w = world({ sqs: patient });
    const deliver = w.consumer(() => 'done');
    await deliver([record('m1', { receives: 2, ...sent(30) })]);
    const letter = deadLetterOf(parkedIn(w)[0] as never, 'dead-letter-1');
    expect(failedIds(await deliver([redriven(letter, 'm2')]))).toEqual([]);
    expect(w.row('m1')?.status).toBe('completed');
  });
});

describe('a broken twin is caught', () => {
  test('that takes an absent row for a message that never ran', async () => {
    await caught(outlivedParks({ engine: await forgettingAge() }));
    await caught(ageIsCarried({ engine: await forgettingAge() }));
  });

  test('that lets any row of the key vouch for it', async () => {
    const wishOf: typeof asking.wishOf = (...given) => {
      const { ownRowGoneAtMillis: _, ...wish } = asking.wishOf(...given);
      return wish;
    };
    const claimArrival: typeof asking.claimArrival = (arrival, invocation, purpose, maxAttempts = 5) =>
      asking.claimWork(arrival, invocation, () => wishOf(arrival, invocation, purpose, maxAttempts));
    const engine = await engineWithout('claim/claim-arrival.ts', { wishOf, claimArrival });
    await caught(laterRowsVouchForNothing({ engine }));
  });

  test('that counts age from what SQS says of the redriven message', async () => {
    const engine = await engineWithout('arrive/once-attribute.ts', {
      onceAttributeOf: () => undefined,
      redriveMarkOf: (given: never) => redriveMarkOf(given),
    });
    await caught(ageIsCarried({ engine }));
  });

  test('that keeps a row from its first claim on', async () => {
    const created = lease.expiryEpochSeconds(startMillis, 29 * dayMillis);
    await caught(everyTouchRefreshes({ store: keptFrom(created) }));
  });
});

function forgettingAge() {
  const wishOf: typeof asking.wishOf = (...given) => ({ ...asking.wishOf(...given), outlivedItsRow: false });
  const claimArrival: typeof asking.claimArrival = (arrival, ...rest) =>
    asking.claimArrival({ ...arrival, receivedBefore: false }, ...rest);
  return engineWithout('claim/claim-arrival.ts', { wishOf, claimArrival });
}

function keptFrom(expiresAt: number): NonNullable<WorldOptions['store']> {
  return (store) => ({
    ...store,
    acquire: (row: ClaimRow, over, limit) => store.acquire({ ...row, expiresAt }, over, limit),
    release: (claim, release, limit) => store.release(claim, { ...release, expiresAt }, limit),
    settle: (claim, settlement, writes, limit) =>
      store.settle(claim, { ...settlement, expiresAt }, writes, limit),
    extend: async () => ({ status: 'landed' }) as const,
  });
}
