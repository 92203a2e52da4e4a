/**
 * L7, fail closed: no claim, no handler. A throttled or unreachable table sends the message back; missing
 * rights, a missing table or one of another shape fail the invocation loudly, once.
 */
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../lib/errors.ts';
import { landed } from '../../lib/words.ts';
import { awsError, hang, type TableCall } from '../support/faulty-table.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Face, faces, middys, type WorldOptions, wholeEvent, world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

type Fault = (call: TableCall) => unknown;

const failing =
  (name: string): Fault =>
  () =>
    Promise.reject(awsError(name));

const transient: readonly (readonly [string, Fault])[] = [
  ['throttled by capacity', failing('ProvisionedThroughputExceededException')],
  ['throttled by rate', failing('ThrottlingException')],
  ['over its request limit', failing('RequestLimitExceeded')],
  ['failing inside', failing('InternalServerError')],
  ['cut off', failing('TimeoutError')],
  ['hanging', ({ signal }) => hang(signal)],
];

async function unreachable(twin: WorldOptions, fault: Fault, face: Face): Promise<void> {
  const w = world(twin);
  const runs: string[] = [];
  const deliver = w.consumer(({ key }: { key: string }) => void runs.push(key), {}, face);
  w.faults.intercept(fault);
  const startedAt = w.clock.wallMillis();
  const messages = [record('m1'), record('m2', { receives: 2 }), record('m3')];
  const answer = await w.clock.until(deliver(messages, w.clock.context(900_000)));
  expect(failedIds(answer)).toEqual(['m1', 'm2', 'm3']);
  expect(runs).toEqual([]);
  expect(w.rows()).toEqual([]);
  // A hanging call is given up long before its lease, or the invocation, is over.
  expect(w.clock.wallMillis() - startedAt).toBeLessThanOrEqual(6_000);
  expect(w.seen.events.filter(({ type }) => type === 'store-unavailable')).toHaveLength(3);
  // By receives: 30 s and 90 s, with jitter in the upper half held at its middle.
  expect([...w.sqs.visibility.values()]).toEqual([23, 68, 23]);

  w.faults.heal();
  expect(
    failedIds(
      await deliver(
        messages.map((each) => again(each)),
        w.clock.context(900_000),
      ),
    ),
  ).toEqual([]);
  expect(w.rows().map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  expect(w.clock.timers).toBe(0);
}

describe.each(faces)('behind %s', (face) => {
  it.each(transient)('a table that is %s sends the messages back, and nothing counts', (_, fault) =>
    unreachable({}, fault, face),
  );
});

it('a store that fails open is caught', () =>
  caught(
    unreachable(
      {
        store: (store) => ({
          ...store,
          acquire: (...asked) =>
            store.acquire(...asked).catch((error) => {
              if (error instanceof StoreUnavailableError) return landed;
              throw error;
            }),
        }),
      },
      failing('ThrottlingException'),
      'consumeOnce',
    ),
  ));

const hopeless: readonly (readonly [string, string])[] = [
  ['missing rights', 'AccessDeniedException'],
  ['a missing table', 'ResourceNotFoundException'],
  ['a table of another shape', 'ValidationException'],
  ['a revoked token', 'UnrecognizedClientException'],
];

async function misconfigured(twin: WorldOptions, error: string, face: Face): Promise<void> {
  const w = world(twin);
  const runs: string[] = [];
  const deliver = w.consumer(({ key }: { key: string }) => void runs.push(key), { concurrency: 1 }, face);
  w.faults.intercept(failing(error));
  const messages = ['m1', 'm2', 'm3', 'm4'].map((id) => record(id));
  const answer = await deliver(messages, w.clock.context(30_000)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(answer).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining(error) });
  expect(runs).toEqual([]);
  // Once: after the first answer of that kind nothing else is tried.
  expect(w.faults.purposes).toEqual(['acquire']);
  expect(w.clock.timers).toBe(0);
}

describe.each(faces)('behind %s', (face) => {
  it.each(hopeless)('%s fail the invocation once, before user code', (_, error) =>
    misconfigured({}, error, face),
  );
});

it('a failed attempt whose claim may not be given back fails the invocation too', async () => {
  const w = world();
  const deliver = w.consumer(() => {
    throw new TypeError('no tea');
  });
  w.faults.intercept((call) => {
    if (call.purpose === 'release') throw awsError('AccessDeniedException');
    return call.make();
  });
  await expect(deliver([record('m1'), record('m2')], w.clock.context(30_000))).rejects.toThrow(
    expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining('AccessDenied') }),
  );
  expect(w.seen.of('failed').map(({ error }) => error?.message)).toEqual(['no tea', 'no tea']);
});

it('whoever listens is told of the message that met it, so that nothing about it stays open', async () => {
  const w = world();
  const deliver = w.consumer(() => {}, { concurrency: 1 });
  w.faults.intercept(failing('AccessDeniedException'));
  await expect(deliver([record('m1'), record('m2')], w.clock.context(30_000))).rejects.toThrow(
    'AccessDenied',
  );
  expect(w.seen.story('m1')).toEqual(['store-unavailable']);
  expect(w.seen.story('m2')).toEqual(['unstarted']);
});

it('a store that takes missing rights for a passing trouble is caught', () =>
  caught(
    misconfigured(
      {
        store: (store) => ({
          ...store,
          acquire: (...asked) =>
            store.acquire(...asked).catch((cause) => {
              throw new StoreUnavailableError('twin', { cause });
            }),
        }),
      },
      'AccessDeniedException',
      'consumeOnce',
    ),
  ));

describe.each(middys)('a handler that takes its event whole, under %s', (_, middy) => {
  it('is not called without claims', async () => {
    const w = world();
    let calls = 0;
    const deliver = wholeEvent(middy, w.options(), () => {
      calls += 1;
    });
    w.faults.intercept(failing('ThrottlingException'));
    expect(failedIds(await w.clock.until(deliver([record('m1'), record('m2')])))).toEqual(['m1', 'm2']);
    w.faults.intercept(failing('AccessDeniedException'));
    await expect(w.clock.until(deliver([record('m1'), record('m2')]))).rejects.toThrow(
      'AccessDeniedException',
    );
    expect(calls).toBe(0);
    expect(w.clock.timers).toBe(0);
  });

  it('is not called for the rest when a claim meets missing rights, and what was claimed is given back', async () => {
    const w = world();
    let calls = 0;
    const deliver = wholeEvent(middy, w.options({ concurrency: 1 }), () => {
      calls += 1;
    });
    w.faults.intercept((call) => {
      if (call.purpose === 'acquire' && call.count === 2) throw awsError('AccessDeniedException');
      return call.make();
    });
    const messages = [record('m1'), record('m2'), record('m3')];
    await expect(deliver(messages, w.clock.context(30_000))).rejects.toThrow('AccessDeniedException');
    expect(calls).toBe(0);
    expect(w.rows()).toMatchObject([{ status: 'released', attempts: 0 }]);
    w.faults.heal();
    expect(failedIds(await deliver(messages, w.clock.context(30_000)))).toEqual([]);
    expect(calls).toBe(1);
  });
});

it('a thawed process whose renewal cannot be asked for does not run, and the attempt is given back', async () => {
  const w = world();
  let runs = 0;
  const deliver = w.consumer(() => {
    runs += 1;
  });
  w.faults.intercept(async (call) => {
    if (call.purpose === 'renew') throw awsError('ThrottlingException');
    await call.make();
    if (call.purpose === 'acquire') w.clock.jump({ wall: 25_000 });
  });
  const answer = await w.clock.until(deliver([record('m1')], w.clock.context(30_000)));
  expect(failedIds(answer)).toEqual(['m1']);
  expect(runs).toBe(0);
  expect(w.row('m1')).toMatchObject({ status: 'released', attempts: 0 });
  expect(w.seen.of('store-unavailable')).toHaveLength(1);
});
