/**
 * L5, in flight is not done, behind HTTP: a retry of a running request is neither answered as done nor run. It
 * is told when to come back: when the lease is over, and a second at the least.
 */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../lib/claim/decide.ts';
import {
  keyed,
  type ReceiverFace,
  type Receivers,
  receiver,
  receiverFaces,
  receiversWithout,
} from '../support/receiver-rig.ts';
import { world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

async function retriesOfARunningRequest(
  twin: { readonly receivers?: Receivers },
  face: ReceiverFace,
): Promise<void> {
  const w = world();
  let runs = 0;
  const ask = receiver(
    w,
    async () => {
      runs += 1;
      await w.clock.wait(20_000);
      return { statusCode: 201, body: 'done' };
    },
    { face, ...twin },
  );
  const first = ask(keyed('k1'), w.clock.context(21_500));
  for (const [passed, retryAfter] of [
    [1, '24'],
    [9_999, '14'],
    [9_000, '5'],
  ] as const) {
    await w.clock.pass(passed);
    const retry = await ask(keyed('k1'), w.clock.context(30_000));
    expect([retry.status, retry.headers['retry-after']]).toEqual([409, retryAfter]);
    expect(retry.headers).not.toHaveProperty('idempotency-replayed');
  }
  expect(runs).toBe(1);
  expect((await w.clock.until(first)).body.toString()).toBe('done');
  expect((await ask(keyed('k1'))).body.toString()).toBe('done');
  expect(runs).toBe(1);
  expect(w.seen.of('in-flight')).toHaveLength(3);
}

describe.each(receiverFaces)('behind %s', (face) => {
  it('a retry of a running request is told when the lease is over', () => retriesOfARunningRequest({}, face));
});

it.each(['duplicate', 'exhausted'] as const)('a receiver that takes it for %s is caught', async (status) => {
  const { decide } = await import('../../lib/claim/decide.ts');
  const twin: typeof decide = (row, wish) => {
    const decision: Decision = decide(row, wish);
    return decision.status === 'in-flight' ? { status, row: decision.row } : decision;
  };
  const receivers = await receiversWithout('claim/decide.ts', { decide: twin });
  const attempt = retriesOfARunningRequest({ receivers }, 'receiveOnce');
  // A verdict that no request can have is an error of ours, and as loud.
  await (status === 'exhausted' ? expect(attempt).rejects.toThrow() : caught(attempt));
});

it('a lease that cannot be read is held, and the retry is still told when to come back', async () => {
  const w = world();
  const ask = receiver(w, () => undefined);
  await ask(keyed('k1'));
  const [row] = w.rows();
  if (row === undefined) throw new Error('no row');
  const { leaseEndsAt: _, settledAt: __, result: ___, ...garbled } = row;
  w.seed({ ...garbled, status: 'leased' });
  expect(await ask(keyed('k1'))).toMatchObject({ status: 409, headers: { 'retry-after': '60' } });
});
