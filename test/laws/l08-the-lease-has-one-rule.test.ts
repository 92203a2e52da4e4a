/**
 * L8, the lease has one rule: `now >= leaseEnds + skew` frees a claim, the same in the condition and in the
 * code. A missing or garbled lease means held. The lease counts from before the claim was sent, and a process
 * that was frozen before user code renews it first, or does not run.
 */
import { describe, expect, it } from 'vitest';
import { rowKey } from '../../lib/arrive/row-key.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import * as lease from '../../lib/lease.ts';
import { landed } from '../../lib/words.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { anotherProcess, caught, engineWithout, withoutCondition } from '../support/twins.ts';

/** A worker that claimed with 30 s left and was killed: its lease ends after 31 s and is free after 32 s. */
async function abandonedMessage(twin: WorldOptions) {
  const w = world(twin);
  const runs: { number: number; previous: unknown }[] = [];
  const note = (_message: unknown, attempt: Attempt) =>
    void runs.push({ number: attempt.number, previous: attempt.previousAttempt });
  const killed = w.consumer(
    (message: unknown, attempt) => {
      note(message, attempt);
      return new Promise(() => {});
    },
    {},
    'consumeOnce',
    await anotherProcess(),
  );
  void killed([record('m1')], { getRemainingTimeInMillis: () => 30_000 });
  await w.clock.pass(0);
  const deliver = w.consumer(note);
  return {
    w,
    runs,
    deliver: (receives: number) => deliver([again(record('m1'), receives)], w.clock.context(30_000)),
  };
}

async function theBoundary(twin: WorldOptions): Promise<void> {
  const { w, runs, deliver } = await abandonedMessage(twin);
  await w.clock.pass(31_999);
  expect(failedIds(await deliver(2))).toEqual(['m1']);
  expect(w.sqs.visibility.get('receipt handle 2 of m1')).toBe(1);
  expect(w.row('m1')).toMatchObject({ fence: 1, attempts: 1 });
  await w.clock.pass(1);
  expect(failedIds(await deliver(3))).toEqual([]);
  expect(w.row('m1')).toMatchObject({ status: 'completed', fence: 2, attempts: 2 });
  expect(w.seen.story('m1')).toEqual(['claimed', 'in-flight', 'taken-over', 'completed']);
  // Who takes over is told that nobody knows how the first attempt ended.
  expect(runs[1]).toEqual({ number: 2, previous: { claimedAt: new Date(w.clock.wallMillis() - 32_000) } });
}

it('a claim is held to the last millisecond of lease and skew, and free from the next', () =>
  theBoundary({}));

it('an engine that forgets the skew is caught', async () => {
  const engine = await engineWithout('lease.ts', {
    leaseIsOver: (endsAt: number | undefined, now: number) => endsAt !== undefined && now >= endsAt,
  });
  await caught(theBoundary({ engine, table: withoutCondition(/\bleaseEndsAt <= /) }));
});

it('an engine that waits a millisecond longer than its condition is caught', async () => {
  const engine = await engineWithout('lease.ts', {
    leaseIsOver: (endsAt: number | undefined, now: number) => lease.leaseIsOver(endsAt, now - 1),
  });
  await caught(theBoundary({ engine }));
});

async function renewedSinceTheLook(twin: WorldOptions): Promise<void> {
  const { w, runs, deliver } = await abandonedMessage(twin);
  await w.clock.pass(40_000);
  // The holder was not dead: its renewal lands between the look of the other and its write.
  w.faults.intercept(async (call) => {
    if (call.purpose === 'acquire' && call.count === 4) {
      w.faults.heal();
      const { claim, fence, owner } = w.row('m1') ?? { claim: '', fence: 0, owner: '' };
      await w.claims.renew({ rowKey: claim, fence, owner }, w.clock.wallMillis() + 30_000, {
        timeoutMillis: 1_000,
      });
    }
    return call.make();
  });
  expect(failedIds(await deliver(2))).toEqual(['m1']);
  expect(runs).toHaveLength(1);
  expect(w.seen.story('m1')).toEqual(['claimed', 'in-flight']);
}

it('the condition repeats the rule on the row as it stands', () => renewedSinceTheLook({}));

it('a table without the lease in its condition is caught', () =>
  caught(renewedSinceTheLook({ table: withoutCondition(/\bleaseEndsAt <= /) })));

const unreadable: readonly (readonly [string, Record<string, unknown>])[] = [
  ['missing', {}],
  ['a text', { leaseEndsAt: 'soon' }],
  ['an empty text', { leaseEndsAt: '' }],
];

async function unreadableLease(twin: WorldOptions, garbled: Record<string, unknown>): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(() => {
    runs += 1;
  });
  const nowMillis = w.clock.wallMillis();
  w.seed({
    claim: rowKey(w.scope, 'm1'),
    status: 'leased',
    fence: 7,
    owner: 'somebody',
    attempts: 1,
    claimedAt: nowMillis - 86_400_000,
    expiresAt: nowMillis / 1_000 + 86_400,
    ...garbled,
  });
  expect(failedIds(await deliver([record('m1')], w.clock.context(30_000)))).toEqual(['m1']);
  expect(w.sqs.visibility.get('receipt handle of m1')).toBe(15 * 60);
  await w.clock.pass(86_399_000);
  const sentAt = new Date(w.clock.wallMillis());
  expect(failedIds(await deliver([record('m1', { sentAt })], w.clock.context(30_000)))).toEqual(['m1']);
  expect(runs).toBe(0);
  // Only the row's own end frees it.
  await w.clock.pass(1_000);
  expect(failedIds(await deliver([record('m1', { sentAt })], w.clock.context(30_000)))).toEqual([]);
  expect(runs).toBe(1);
  expect(w.row('m1')).toMatchObject({ fence: 8, attempts: 1 });
}

describe.each(unreadable)('a lease that is %s', (_, garbled) => {
  it('holds until the row itself expires', () => unreadableLease({}, garbled));

  it('holds: an engine that takes it for over is caught', async () => {
    const engine = await engineWithout('lease.ts', {
      leaseIsOver: (endsAt: number | undefined, now: number) => lease.leaseIsOver(endsAt ?? 0, now),
    });
    await caught(unreadableLease({ engine, table: withoutCondition(/\bleaseEndsAt|#status/) }, garbled));
  });
});

it('a context that says nothing of the time left gets a lease all the same, kept alive', async () => {
  const readings: unknown[] = [undefined, Number.NaN, 0, -89_145, Number.POSITIVE_INFINITY, 'soon'];
  for (const reading of readings) {
    const w = world();
    const deliver = w.consumer(() => w.clock.wait(200_000));
    const first = deliver([record('m1')], { getRemainingTimeInMillis: () => reading as number });
    await w.clock.pass(0);
    expect(w.row('m1')?.leaseEndsAt).toBe(w.clock.wallMillis() + 60_000);
    await w.clock.pass(150_000);
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual(['m1']);
    expect(failedIds(await w.clock.until(first))).toEqual([]);
    expect(w.clock.timers).toBe(0);
  }
});

async function slowClaim(twin: WorldOptions): Promise<void> {
  const w = world(twin);
  let leaseEndsAt: number | undefined;
  const deliver = w.consumer(() => {
    leaseEndsAt = w.row('m1')?.leaseEndsAt;
  });
  w.faults.intercept(async (call) => {
    if (call.purpose === 'acquire') await w.clock.wait(4_000);
    return call.make();
  });
  const askedAtMillis = w.clock.wallMillis();
  await w.clock.until(deliver([record('m1')], w.clock.context(60_000)));
  expect(leaseEndsAt).toBe(askedAtMillis + 61_000);
}

it('the lease counts from before the claim was sent', () => slowClaim({}));

it('a store that counts it from when the claim lands is caught', () =>
  caught(
    slowClaim({
      store: (store) => ({
        ...store,
        acquire: ({ leaseEndsAt = 0, ...row }, ...rest) =>
          store.acquire({ ...row, leaseEndsAt: leaseEndsAt + 4_000 }, ...rest),
      }),
    }),
  ));

type Jump = Parameters<ReturnType<typeof world>['clock']['jump']>[0];

async function thawedAfterATakeover(twin: WorldOptions, jump: Jump): Promise<void> {
  const w = world(twin);
  const runs: string[] = [];
  const frozen = w.consumer(() => void runs.push('frozen'));
  const other = w.consumer(() => void runs.push('other'), {}, 'consumeOnce', await anotherProcess());
  let freeze = true;
  w.faults.intercept(async (call) => {
    await call.make();
    if (call.purpose !== 'acquire' || !freeze) return;
    freeze = false;
    // The claim has landed, and its process is frozen before user code; another takes over meanwhile.
    w.clock.jump({ wall: 40_000 });
    await other([again(record('m1'))], w.clock.context(30_000));
    // What the frozen process sees of that time depends on its clocks.
    w.clock.jump({ wall: -40_000 });
    w.clock.jump(jump);
  });
  const answer = await w.clock.until(frozen([record('m1')], w.clock.context(30_000)));
  expect(failedIds(answer)).toEqual(['m1']);
  expect(runs).toEqual(['other']);
  expect(w.seen.story('m1')).toEqual(['taken-over', 'completed', 'claimed', 'fenced-out']);
  // Fenced out, it touches nothing: neither the row nor the message.
  expect(w.row('m1')).toMatchObject({ status: 'completed', fence: 2 });
  expect(w.sqs.visibility.has('receipt handle of m1')).toBe(false);
}

const jumps: readonly (readonly [string, Jump])[] = [
  ['the wall clock', { wall: 16_000 }],
  ['the monotonic clock', { monotonic: 16_000 }],
  ['both clocks', { wall: 16_000, monotonic: 16_000 }],
];

describe.each(jumps)('a process frozen before user code, by %s', (_, jump) => {
  it('renews first, is refused and does not run', () => thawedAfterATakeover({}, jump));

  it('does not run: a store that renews without asking is caught', () =>
    caught(thawedAfterATakeover({ store: (store) => ({ ...store, renew: async () => landed }) }, jump)));

  it('renews and runs when nobody took over', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(() => {
      runs += 1;
    });
    w.faults.intercept(async (call) => {
      await call.make();
      if (call.purpose === 'acquire') w.clock.jump(jump);
    });
    expect(failedIds(await deliver([record('m1')], w.clock.context(30_000)))).toEqual([]);
    expect(w.faults.purposes).toEqual(['acquire', 'renew', 'settle']);
    expect(runs).toBe(1);
  });
});

it('a process frozen again while it renews renews again', async () => {
  const w = world();
  const deliver = w.consumer(() => undefined, { leaseSeconds: 20 });
  w.faults.intercept(async (call) => {
    await call.make();
    if (call.purpose === 'acquire' || (call.purpose === 'renew' && call.count < 3))
      w.clock.jump({ wall: 11_000 });
  });
  expect(failedIds(await deliver([record('m1')], w.clock.context(60_000)))).toEqual([]);
  expect(w.faults.purposes).toEqual(['acquire', 'renew', 'renew', 'renew', 'settle']);
});
