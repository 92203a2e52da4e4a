// Owners that die, run long or run out of time.
import { describe, expect, it } from 'vitest';
import { RetryLaterError } from '../lib/errors.ts';
import type { Asked } from './support/http-events.ts';
import { keyed, receiver, requestRow } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

describe('the time', () => {
  it('of a dead owner runs out, and the retry takes over and knows that its end is unknown', async () => {
    const w = world();
    const dead = receiver(w, () => new Promise<undefined>(() => {}));
    void dead(create, w.clock.context(20_000));
    await w.clock.pass(1_000);
    // The process is gone: nothing of it rings any more, the row stays.
    const next = receiver(w, (_, attempt) => ({
      statusCode: 200,
      body: { number: attempt.number, ended: attempt.previousAttempt?.endedAt ?? null },
    }));
    w.clock.jump({ wall: 20_500 });
    expect((await next(create, w.clock.context(20_000))).headers['retry-after']).toBe('1');
    w.clock.jump({ wall: 1_000 });
    expect((await next(create, w.clock.context(20_000))).json).toEqual({ number: 2, ended: null });
    expect(w.seen.of('taken-over')).toHaveLength(1);
  });

  it('of a process without a deadline is a lease with a heartbeat', async () => {
    const w = world();
    const ask = receiver(w, async () => {
      await w.clock.wait(300_000);
      return { statusCode: 200 };
    });
    const first = ask(create);
    await w.clock.pass(290_000);
    const retryAfter = Number((await ask(create)).headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(61);
    expect((await w.clock.until(first)).status).toBe(200);
    expect(w.faults.purposes.filter((purpose) => purpose === 'renew').length).toBeGreaterThan(10);
    expect(w.clock.timers).toBe(0);
  });

  it('of an invocation runs out under a handler that ignores its signal: its claim is kept, its late answer too', async () => {
    const w = world();
    let aborted = false;
    const ask = receiver(w, async (_, attempt) => {
      attempt.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await w.clock.wait(10_000);
      return { statusCode: 201, body: 'late' };
    });
    const first = await w.clock.until(ask(create, w.clock.context(5_000)));
    expect(first).toMatchObject({ status: 409, headers: { 'retry-after': '3' } });
    expect(aborted).toBe(true);
    expect((await ask(create, w.clock.context(5_000))).status).toBe(409);
    await w.clock.pass(6_000);
    const replay = await ask(create, w.clock.context(5_000));
    expect(replay).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    expect(replay.body.toString()).toBe('late');
  });

  it('that is left is too short to begin: 503, and nothing is claimed', async () => {
    const w = world();
    const ask = receiver(w, neverRuns);
    expect(await ask(create, w.clock.context(900))).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String) },
      json: { type: expect.stringMatching(/#unavailable$/) },
    });
    expect(w.rows()).toEqual([]);
  });

  it('that the handler asks for is told to the sender, and the attempt does not count', async () => {
    const w = world();
    const ask = receiver(w, () => {
      throw new RetryLaterError({ afterSeconds: 30 });
    });
    expect(await ask(create)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect(requestRow(w, 'k1')).toMatchObject({ status: 'released', attempts: 0 });
    expect(w.seen.of('deferred')).toHaveLength(1);
  });
});

function neverRuns(): never {
  throw new Error('user code ran');
}

it('takeovers run beside each other and beside whatever else the process serves', async () => {
  const w = world();
  const keys = ['k1', 'k2', 'k3'];
  const dead = receiver(w, () => new Promise<undefined>(() => {}));
  for (const key of keys) void dead(keyed(key), w.clock.context(5_000));
  await w.clock.pass(1_000);
  w.clock.jump({ wall: 60_000 });
  let running = 0;
  let most = 0;
  const ask = receiver(w, async () => {
    running += 1;
    most = Math.max(most, running);
    await w.clock.wait(100);
    running -= 1;
    return { statusCode: 200 };
  });
  const all = [...keys, 'fresh'].map((key) => ask(keyed(key), w.clock.context(5_000)));
  const answers = await w.clock.until(Promise.all(all));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(most).toBe(4);
  expect(w.seen.of('taken-over')).toHaveLength(3);
});
