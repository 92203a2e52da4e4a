/**
 * L7, fail closed, behind HTTP: no claim, no handler. A table that does not answer sends the sender away for a
 * while; what can never work fails loudly.
 */
import { describe, expect, it } from 'vitest';
import { awsError, hang, type TableCall } from '../support/faulty-table.ts';
import {
  around,
  keyed,
  type Receivers,
  receiver,
  receiverFaces,
  receiversWithout,
} from '../support/receiver-rig.ts';
import { middys, world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

const away: readonly (readonly [string, (call: TableCall) => unknown])[] = [
  ['throttled', () => Promise.reject(awsError('ThrottlingException'))],
  ['cut off', () => Promise.reject(awsError('ECONNRESET'))],
  ['hanging', ({ signal }) => hang(signal)],
];

async function withoutTheTable(fault: (call: TableCall) => unknown, receivers?: Receivers): Promise<void> {
  const w = world();
  let runs = 0;
  const ask = receiver(
    w,
    () => {
      runs += 1;
      return { statusCode: 201 };
    },
    receivers === undefined ? {} : { receivers },
  );
  w.faults.intercept(fault);
  const answer = await w.clock.until(ask(keyed('k1'), w.clock.context(10_000)));
  expect(runs).toBe(0);
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
    json: { type: expect.stringMatching(/#unavailable$/) },
  });
  expect(w.seen.of('store-unavailable')).toHaveLength(1);
  w.faults.heal();
  expect((await ask(keyed('k1'), w.clock.context(10_000))).status).toBe(201);
  expect(w.rows()[0]?.attempts).toBe(1);
}

it.each(away)('a table that is %s lets nothing run', (_, fault) => withoutTheTable(fault));

it('a receiver that runs without a claim is caught', async () => {
  const { claimWork } = await import('../../lib/claim/claim-arrival.ts');
  const twin: typeof claimWork = async (work, invocation, makeWish) => {
    try {
      return await claimWork(work, invocation, makeWish);
    } catch {
      const wish = makeWish();
      const row = {
        claim: work.rowKey,
        status: 'leased',
        fence: 1,
        owner: wish.owner,
        attempts: 1,
        leaseEndsAt: wish.nowMillis + 10_000,
        expiresAt: wish.nowMillis,
        firstClaimedAt: wish.nowMillis,
        claimedAt: wish.nowMillis,
        version: 1,
      } as const;
      const claim = {
        rowKey: work.rowKey,
        fence: 1,
        owner: wish.owner,
        row,
        previous: undefined,
        takenOver: false,
        isLast: false,
      };
      return { verdict: { status: 'claimed', claim }, leaseMillis: 10_000, askedAtMonotonicMillis: 1_000 };
    }
  };
  const receivers = await receiversWithout('claim/claim-arrival.ts', { claimWork: twin });
  await caught(withoutTheTable(() => Promise.reject(awsError('ThrottlingException')), receivers));
});

describe('what can never work', () => {
  it.each(['AccessDeniedException', 'ResourceNotFoundException'])('%s is thrown, once', async (name) => {
    const w = world();
    let runs = 0;
    const ask = receiver(w, () => {
      runs += 1;
    });
    w.faults.intercept(() => Promise.reject(awsError(name)));
    await expect(ask(keyed('k1'), w.clock.context(10_000))).rejects.toMatchObject({
      name: 'ConfigurationError',
    });
    expect(runs).toBe(0);
    expect(w.faults.purposes).toHaveLength(1);
  });

  it.each(receiverFaces)('is told once before the answer, with its error (%s)', async (face) => {
    const w = world();
    w.faults.intercept(() => Promise.reject(awsError('AccessDeniedException')));
    await expect(receiver(w, () => {}, { face })(keyed('k1'))).rejects.toThrow('AccessDenied');
    expect(w.seen.events.map(({ type }) => type)).toEqual(['claiming', 'store-unavailable', 'answering']);
    expect(w.seen.of('store-unavailable')[0]?.error?.name).toBe('ConfigurationError');
  });

  it.each(middys)('is told for a handler that knows nothing of us, too (%s)', async (_, middy) => {
    const w = world();
    w.faults.intercept(() => Promise.reject(awsError('AccessDeniedException')));
    await expect(around(middy, w, () => ({ statusCode: 201 }))(keyed('k1'))).rejects.toThrow('AccessDenied');
    expect(w.seen.events.map(({ type }) => type)).toEqual(['claiming', 'store-unavailable', 'answering']);
  });
});
