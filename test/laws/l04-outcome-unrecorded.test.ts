/**
 * L4, done is done, when the table does not take the outcome: nothing that happens after user code succeeded
 * causes a rerun.
 */
import { describe, expect, it } from 'vitest';
import { awsError, hang, type TableCall } from '../support/faulty-table.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Engine, middys, type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

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

it('a throttled settle is tried again', () => throttledSettleIsTriedAgain({}));

it('an engine that gives up after one settle is caught', async () => {
  const persist = (_: unknown, write: (limit: { timeoutMillis: number }) => Promise<unknown>) =>
    write({ timeoutMillis: 5_000 }).catch((error: unknown) => ({ status: 'unavailable', error }));
  await caught(
    throttledSettleIsTriedAgain({ engine: await engineWithout('settle/persist.ts', { persist }) }),
  );
});

const faults: readonly (readonly [string, (call: TableCall) => unknown])[] = [
  ['throttled', () => Promise.reject(awsError('ProvisionedThroughputExceededException'))],
  ['cut off', () => Promise.reject(awsError('ECONNRESET'))],
  ['hanging', ({ signal }) => hang(signal)],
  ['not allowed', () => Promise.reject(awsError('AccessDeniedException'))],
];

async function unrecordedIsAcknowledged(
  twin: WorldOptions,
  fault: (call: TableCall) => unknown,
): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(() => {
    runs += 1;
    return 'done';
  });
  w.faults.intercept((call) => (call.purpose === 'settle' ? fault(call) : call.make()));
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

describe.each(faults)('a settle that is %s for good', (_, fault) => {
  it('acknowledges, keeps the claim and says so', () => unrecordedIsAcknowledged({}, fault));
});

it('an engine that gives the claim back instead is caught', async () => {
  const original = await import('../../lib/settle/record-outcome.ts');
  const recordOutcome: typeof original.recordOutcome = async (...given) => {
    const recorded = await original.recordOutcome(...given);
    return recorded.status === 'unrecorded' ? { status: 'uncommitted', error: new Error('twin') } : recorded;
  };
  const engine = await engineWithout('settle/record-outcome.ts', { recordOutcome });
  await caught(unrecordedIsAcknowledged({ engine }, () => Promise.reject(awsError('ThrottlingException'))));
});

it('a message the table cannot be asked about does not bring back one it could not be told of', async () => {
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
  const answer = await w.clock.until(deliver([record('m1'), record('m2')]));
  expect(failedIds(answer)).toEqual(['m2']);
  expect(runs).toEqual(['m1']);
  expect(w.seen.story('m2')).toEqual(['store-unavailable']);

  await expect(w.clock.until(deliver([again(record('m2'))]))).rejects.toThrow('ResourceNotFoundException');
});

async function leaseOutlivesTheSettle(twin: WorldOptions): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer(
    () => {
      runs += 1;
    },
    { leaseSeconds: 3 },
  );
  const throttledUntil = w.clock.wallMillis() + 20_000;
  w.faults.intercept((call) => {
    if (call.purpose === 'settle' && w.clock.wallMillis() < throttledUntil)
      throw awsError('ThrottlingException');
    return call.make();
  });
  const message = record('m1');
  const first = deliver([message], w.clock.context(60_000));
  for (let second = 0; second < 18; second += 3) {
    await w.clock.pass(3_000);
    const duplicate = await w.clock.until(deliver([again(message)], w.clock.context(30_000)));
    expect(failedIds(duplicate)).toEqual(['m1']);
  }
  expect(failedIds(await w.clock.until(first))).toEqual([]);
  expect(runs).toBe(1);
  expect(w.row('m1')?.status).toBe('completed');
  expect(w.clock.timers).toBe(0);
}

it('a short lease is kept alive while the table is slow to take the outcome', () =>
  leaseOutlivesTheSettle({}));

it('an engine whose heart stops before the outcome is down is caught', async () => {
  const startHeartbeat = () => ({ stop: async () => {} });
  await caught(
    leaseOutlivesTheSettle({ engine: await engineWithout('handle/heartbeat.ts', { startHeartbeat }) }),
  );
});

it('work that succeeded after its lease lapsed is recorded, if nobody took the claim', async () => {
  const w = world();
  let aborted = false;
  const deliver = w.consumer(
    async (_message: unknown, { signal }) => {
      await w.clock.wait(10_000);
      aborted = signal.aborted;
    },
    { leaseSeconds: 3 },
  );
  w.faults.intercept((call) => {
    if (call.purpose === 'renew') throw awsError('ThrottlingException');
    return call.make();
  });
  expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(30_000))))).toEqual([]);
  expect(aborted).toBe(true);
  expect(w.seen.story('m1')).toEqual(['claimed', 'completed']);
});

const unstorable: readonly (readonly [string, () => unknown])[] = [
  ['that contains itself', cycle],
  ['of a class', () => new Map([['a', 1]])],
  ['larger than a row', () => 'x'.repeat(400 * 1_024)],
  [
    'whose reading throws',
    () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
  ],
  ['with a number JSON does not know', () => ({ rate: Number.NaN })],
];

function cycle(): unknown {
  const list: unknown[] = [];
  list.push(list);
  return list;
}

it.each(unstorable)('a result %s does not undo the work', async (_, result) => {
  const w = world();
  let runs = 0;
  const outcomes: unknown[] = [];
  const deliver = w.consumer(
    () => {
      runs += 1;
      return result();
    },
    { onDuplicate: (_message: unknown, outcome: unknown) => void outcomes.push(outcome) },
  );
  expect(failedIds(await deliver([record('m1')], w.clock.context(30_000)))).toEqual([]);
  expect(failedIds(await deliver([again(record('m1'))], w.clock.context(30_000)))).toEqual([]);
  expect(runs).toBe(1);
  expect(outcomes).toEqual([{ status: 'completed', notKept: expect.any(String) }]);
});

describe.each(middys)('under %s', (_, middy) => {
  it('the throw of a middleware outside ours does not cause a rerun', async () => {
    const w = world();
    let runs = 0;
    const { idempotentConsumer }: Engine = await import('../../lib/consumer.ts');
    const consumer = idempotentConsumer(w.options());
    const outside = {
      after() {
        throw new Error('outside');
      },
    };
    const handler = middy()
      .use(outside)
      .use(consumer)
      .handler(
        consumer.eachMessage(() => {
          runs += 1;
        }),
      );
    const event = (given: ReturnType<typeof record>) => ({ Records: [given] }) as never;
    await expect(handler(event(record('m1')), {} as never)).rejects.toThrow('outside');
    expect(w.row('m1')?.status).toBe('completed');
    await expect(handler(event(again(record('m1'))), {} as never)).rejects.toThrow('outside');
    expect(runs).toBe(1);
  });
});
