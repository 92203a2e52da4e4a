/**
 * L4, done is done, behind HTTP: once the handler has answered, nothing makes it run again: not a table that
 * does not take the outcome, not an answer that cannot be kept.
 */
import { describe, expect, it } from 'vitest';
import { awsError, hang, type TableCall } from '../support/faulty-table.ts';
import {
  keyed,
  type ReceiverFace,
  type Receivers,
  receiver,
  receiverFaces,
  receiversWithout,
  requestRow,
} from '../support/receiver-rig.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

type Twin = WorldOptions & { readonly receivers?: Receivers };

function of(twin: Twin, face: ReceiverFace = 'receiveOnce') {
  return { face, ...(twin.receivers === undefined ? {} : { receivers: twin.receivers }) };
}

async function throttledSettleIsTriedAgain(twin: Twin, face?: ReceiverFace): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const ask = receiver(
    w,
    () => {
      runs += 1;
      return { statusCode: 201, body: 'real' };
    },
    of(twin, face),
  );
  w.faults.intercept((call) => {
    if (call.purpose === 'settle' && call.count <= 3) throw awsError('ThrottlingException');
    return call.make();
  });
  const first = await w.clock.until(ask(keyed('k1'), w.clock.context(30_000)));
  expect([first.status, first.body.toString()]).toEqual([201, 'real']);
  expect((await ask(keyed('k1'))).headers['idempotency-replayed']).toBe('true');
  expect(runs).toBe(1);
}

const faults: readonly (readonly [string, (call: TableCall) => unknown])[] = [
  ['throttled', () => Promise.reject(awsError('ProvisionedThroughputExceededException'))],
  ['cut off', () => Promise.reject(awsError('ECONNRESET'))],
  ['hanging', ({ signal }) => hang(signal)],
  ['not allowed', () => Promise.reject(awsError('AccessDeniedException'))],
];

async function unrecordedIsAnsweredForReal(
  twin: Twin,
  fault: (call: TableCall) => unknown,
  face?: ReceiverFace,
): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const ask = receiver(
    w,
    () => {
      runs += 1;
      return { statusCode: 201, headers: { Location: '/1' }, body: 'real' };
    },
    of(twin, face),
  );
  w.faults.intercept((call) => (call.purpose === 'settle' ? fault(call) : call.make()));
  const first = await w.clock.until(ask(keyed('k1'), w.clock.context(30_000)));
  expect(first).toMatchObject({ status: 201, headers: { location: '/1' } });
  expect(first.body.toString()).toBe('real');
  expect(w.seen.of('outcome-unrecorded')).toHaveLength(1);
  expect(w.faults.purposes).not.toContain('release');
  expect(requestRow(w, 'k1')).toMatchObject({ status: 'leased', attempts: 1 });
  // Its claim is kept, so for as long as the lease lasts a retry is held off.
  w.faults.heal();
  expect((await ask(keyed('k1'), w.clock.context(30_000))).status).toBe(409);
  expect(runs).toBe(1);
}

describe.each(receiverFaces)('behind %s', (face) => {
  it('a throttled settle is tried again', () => throttledSettleIsTriedAgain({}, face));

  it.each(faults)('a settle that is %s to the end costs the sender nothing: the real answer', (_, fault) =>
    unrecordedIsAnsweredForReal({}, fault, face),
  );
});

it('a receiver that gives up after one settle is caught', async () => {
  const persist = (_: unknown, write: (limit: { timeoutMillis: number }) => Promise<unknown>) =>
    write({ timeoutMillis: 5_000 }).catch((error: unknown) => ({ status: 'unavailable', error }));
  const receivers = await receiversWithout('settle/persist.ts', { persist });
  await caught(throttledSettleIsTriedAgain({ receivers }));
});

it('a receiver that gives the claim back when the outcome cannot be recorded is caught', async () => {
  const { recordOutcome } = await import('../../lib/settle/record-outcome.ts');
  const twin: typeof recordOutcome = async (...asked) => {
    const recorded = await recordOutcome(...asked);
    return recorded.status === 'unrecorded'
      ? { status: 'uncommitted', error: new Error('unrecorded') }
      : recorded;
  };
  const receivers = await receiversWithout('settle/record-outcome.ts', { recordOutcome: twin });
  await caught(unrecordedIsAnsweredForReal({ receivers }, () => Promise.reject(awsError('ECONNRESET'))));
});

it('what was collected and cannot be committed did not happen: 503, and the retry runs', async () => {
  const w = world();
  let runs = 0;
  const ask = receiver(w, (_, attempt) => {
    runs += 1;
    attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'o1' } });
    attempt.transaction.check({
      TableName: 'orders',
      Key: { orderId: 'other' },
      ConditionExpression: 'attribute_not_exists(orderId)',
    });
    return { statusCode: 201 };
  });
  w.faults.intercept((call) => {
    if (call.purpose === 'commit') throw awsError('ThrottlingException');
    return call.make();
  });
  expect(await w.clock.until(ask(keyed('k1'), w.clock.context(10_000)))).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.any(String) },
  });
  expect(w.items('orders')).toEqual([]);
  w.faults.heal();
  await w.clock.pass(15_000);
  expect((await ask(keyed('k1'), w.clock.context(10_000))).status).toBe(201);
  expect([runs, w.items('orders').length]).toEqual([2, 1]);
});

it.each([
  ['cyclic', () => loop],
  ['too large', () => ({ statusCode: 200, body: 'x'.repeat(1_000_000) })],
  ['of no status', () => ({ statusCode: 1_000 })],
  ['with an accessor that throws', () => hostile],
])('an answer that is %s is the last run of its key', async (_, answer) => {
  const w = world();
  let runs = 0;
  const ask = receiver(w, () => {
    runs += 1;
    return answer() as never;
  });
  const first = await ask(keyed('k1'));
  const again = await ask(keyed('k1'));
  expect(again.status).toBe(first.status);
  expect(runs).toBe(1);
  expect(requestRow(w, 'k1')?.status).toBe('completed');
});

const loop: Record<string, unknown> = { statusCode: 200 };
loop.body = loop;

const hostile = {
  get statusCode(): number {
    throw new Error('hostile');
  },
};
