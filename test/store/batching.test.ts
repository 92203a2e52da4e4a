import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ambient, processAmbient } from '../../lib/ambient.ts';
import { createBatcher } from '../../lib/store/batching/batcher.ts';
import { rowToItem } from '../../lib/store/row-codec.ts';
import { ask, claimed, limit, row, settlement } from '../support/claims.ts';
import { type DynamoBench, type LocalDynamo, openDynamoBench, startLocalDynamo } from './dynamo-bench.ts';

let dynamo: LocalDynamo;
let bench: DynamoBench;

beforeAll(async () => {
  dynamo = await startLocalDynamo();
  bench = await openDynamoBench(dynamo, undefined, 1, true);
});

afterAll(async () => {
  await bench.close();
  await dynamo.stop();
});

const keys = (count: number) => Array.from({ length: count }, () => randomUUID());
const askAll = (rowKeys: readonly string[]) => Promise.all(rowKeys.map((rowKey) => ask(bench.store, rowKey)));
const statusesOf = (verdicts: readonly { readonly status: string }[]) => verdicts.map(({ status }) => status);

/** Claims in one call, so that the next thing tried is what the test is about. */
async function claimedTogether(count: number) {
  return Promise.all(keys(count).map((rowKey) => claimed(bench.store, rowKey)));
}

const settleAll = (claims: Awaited<ReturnType<typeof claimedTogether>>) =>
  Promise.all(claims.map((claim) => bench.store.settle(claim, settlement, [], limit)));

let callsBefore = 0;
const callsSince = () => bench.calls() - callsBefore;
const countFromHere = () => {
  callsBefore = bench.calls();
};

beforeEach(countFromHere);

describe('claims of one moment', () => {
  test('ten travel in one call, and each is claimed', async () => {
    expect(statusesOf(await askAll(keys(10)))).toEqual(Array(10).fill('claimed'));
    expect(callsSince()).toBe(1);
  });

  test('twenty-six travel in two calls: one is full, one alone', async () => {
    expect(statusesOf(await askAll(keys(26)))).toEqual(Array(26).fill('claimed'));
    expect(callsSince()).toBe(2);
  });

  test('what is taken is told by the single write, what is free is claimed beside it', async () => {
    const [held = '', done = '', ...free] = keys(5);
    await bench.seed(rowToItem(row({ claim: held })));
    await bench.seed(rowToItem(row({ claim: done, status: 'completed', result: '"first"' })));
    const verdicts = await askAll([held, ...free, done]);
    expect(statusesOf(verdicts)).toEqual(['in-flight', 'claimed', 'claimed', 'claimed', 'duplicate']);
    expect(callsSince()).toBe(3);
  });

  test('two of one key never share a call: exactly one wins', async () => {
    const [same = '', ...others] = keys(4);
    const verdicts = await askAll([same, same, ...others]);
    expect(statusesOf(verdicts).sort()).toEqual(['claimed', 'claimed', 'claimed', 'claimed', 'in-flight']);
  });

  test('a lone one goes as a single write', async () => {
    await askAll(keys(1));
    expect(bench.proxy.requests.at(-1)?.target).toContain('PutItem');
  });

  test('a lost reply leaves all of them unavailable, and the next try recognises what landed as held', async () => {
    const rowKeys = keys(3);
    bench.loseNextReply();
    const tries = await Promise.allSettled(rowKeys.map((rowKey) => ask(bench.store, rowKey)));
    for (const failed of tries) {
      expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailableError' } });
    }
    expect(statusesOf(await askAll(rowKeys))).toEqual(['in-flight', 'in-flight', 'in-flight']);
  });

  test('an echo of our own is recognised: the SDK repeats a call whose reply was lost', async () => {
    const retrying = await openDynamoBench(dynamo, undefined, 3, true);
    retrying.loseNextReply();
    const verdicts = await Promise.all(keys(3).map((rowKey) => ask(retrying.store, rowKey)));
    expect(statusesOf(verdicts)).toEqual(['claimed', 'claimed', 'claimed']);
    await retrying.close();
  });
});

describe('outcomes of one moment', () => {
  test('ten travel in one call, and each row tells its own', async () => {
    const claims = await claimedTogether(10);
    countFromHere();
    expect(statusesOf(await settleAll(claims))).toEqual(Array(10).fill('landed'));
    expect(callsSince()).toBe(1);
    for (const { rowKey } of claims) {
      expect(await bench.item(rowKey)).toMatchObject({ status: { S: 'completed' } });
    }
  });

  test('the row is the same as after a single write', async () => {
    const [alone, ...together] = await claimedTogether(3);
    if (alone === undefined) throw new Error('nothing was claimed');
    await bench.store.settle(alone, settlement, [], limit);
    await settleAll(together);
    const { claim: _, owner: __, ...expected } = (await bench.item(alone.rowKey)) ?? {};
    for (const { rowKey } of together) expect(await bench.item(rowKey)).toMatchObject(expected);
    const names = Object.keys((await bench.item(together[0]?.rowKey ?? '')) ?? {});
    expect(names.sort()).toEqual(['claim', 'owner', ...Object.keys(expected)].sort());
  });

  test('a fenced-out one is refused and changes nothing, whoever travels beside it', async () => {
    const claims = await claimedTogether(3);
    const late = { ...(claims[0] as (typeof claims)[number]), fence: 7 };
    const before = await bench.item(late.rowKey);
    expect(statusesOf(await settleAll([late, ...claims.slice(1)]))).toEqual(['refused', 'landed', 'landed']);
    expect(await bench.item(late.rowKey)).toEqual(before);
  });

  test('another owner with the same fence is refused too', async () => {
    const claims = await claimedTogether(2);
    const other = { ...(claims[0] as (typeof claims)[number]), owner: 'somebody else' };
    expect(statusesOf(await settleAll([other, ...claims.slice(1)]))).toEqual(['refused', 'landed']);
  });

  test('an outcome that landed though its reply was lost is recognised as ours', async () => {
    const claims = await claimedTogether(3);
    bench.loseNextReply();
    const tries = await Promise.allSettled(
      claims.map((one) => bench.store.settle(one, settlement, [], limit)),
    );
    expect(tries.every(({ status }) => status === 'rejected')).toBe(true);
    expect(statusesOf(await settleAll(claims))).toEqual(['landed', 'landed', 'landed']);
  });
});

describe('one statement of a call', () => {
  const answerNext = (codes: readonly (string | undefined)[]) =>
    bench.proxy.answerNext(200, {
      Responses: codes.map((Code) => (Code === undefined ? {} : { Error: { Code } })),
    });

  test('that is throttled leaves its own message unavailable and no other', async () => {
    const claims = await claimedTogether(3);
    answerNext([undefined, 'ThrottlingError', undefined]);
    const tries = await Promise.allSettled(
      claims.map((one) => bench.store.settle(one, settlement, [], limit)),
    );
    expect(statusesOf(tries)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(tries[1]).toMatchObject({ reason: { name: 'StoreUnavailableError' } });
  });

  test('that meets a transaction is tried again', async () => {
    const claims = await claimedTogether(2);
    answerNext([undefined, 'TransactionConflict']);
    expect(statusesOf(await settleAll(claims))).toEqual(['landed', 'landed']);
    expect(await bench.item(claims[1]?.rowKey ?? '')).toMatchObject({ status: { S: 'completed' } });
  });

  test('that may not be made is told as what somebody has to repair', async () => {
    const claims = await claimedTogether(2);
    answerNext([undefined, 'AccessDenied']);
    const tries = await Promise.allSettled(
      claims.map((one) => bench.store.settle(one, settlement, [], limit)),
    );
    expect(tries[1]).toMatchObject({ reason: { name: 'ConfigurationError' } });
  });

  test('whose form is refused is written by itself', async () => {
    const claims = await claimedTogether(2);
    answerNext([undefined, 'ValidationError']);
    expect(statusesOf(await settleAll(claims))).toEqual(['landed', 'landed']);
    expect(await bench.item(claims[1]?.rowKey ?? '')).toMatchObject({ status: { S: 'completed' } });
  });

  test('that the answer leaves out did not land as far as anybody knows', async () => {
    const claims = await claimedTogether(2);
    answerNext([undefined]);
    const tries = await Promise.allSettled(
      claims.map((one) => bench.store.settle(one, settlement, [], limit)),
    );
    expect(tries[1]).toMatchObject({ reason: { name: 'StoreUnavailableError' } });
  });
});

describe('a call', () => {
  test('that hangs is given up at each message’s own limit', async () => {
    bench.hangNext();
    const [patient, hasty] = [{ timeoutMillis: 400 }, { timeoutMillis: 20 }];
    const claims = keys(2).map((claim) => row({ claim }));
    const startedAt = performance.now();
    const waits = claims.map(async (one, place) => {
      const wait = bench.store.acquire(one, undefined, place === 0 ? hasty : patient);
      await expect(wait).rejects.toMatchObject({ name: 'StoreUnavailableError' });
      return performance.now() - startedAt;
    });
    const [first = 0, second = 0] = await Promise.all(waits);
    expect(second).toBeGreaterThanOrEqual(399);
    expect(first).toBeLessThan(second);
  });

  test('that is refused as a whole did nothing: each is written by itself', async () => {
    bench.failNext('ValidationException');
    expect(statusesOf(await askAll(keys(2)))).toEqual(['claimed', 'claimed']);
  });

  test('that cannot be reached claims nothing', async () => {
    const rowKeys = keys(2);
    bench.failNext('ThrottlingException');
    const tries = await Promise.allSettled(rowKeys.map((rowKey) => ask(bench.store, rowKey)));
    for (const failed of tries) expect(failed).toMatchObject({ reason: { name: 'StoreUnavailableError' } });
    for (const rowKey of rowKeys) expect(await bench.item(rowKey)).toBeUndefined();
  });
});

describe('gathering', () => {
  const statement = { Statement: 'UPDATE', Parameters: [] };
  const never = new AbortController().signal;

  /** A batcher whose calls end when they are told to. */
  function heldBatcher() {
    const calls: { readonly size: number; end(): void }[] = [];
    const timers = new Map<() => void, number>();
    const ambient: Ambient = {
      ...processAmbient,
      after(millis, task) {
        timers.set(task, millis);
        return () => void timers.delete(task);
      },
    };
    const batcher = createBatcher(
      (statements) =>
        new Promise((resolve) => {
          calls.push({ size: statements.length, end: () => resolve(statements.map(() => undefined)) });
        }),
      ambient,
      { whileInTheAir: true },
    );
    let made = 0;
    const ride = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => {
          made += 1;
          return batcher.ride(`row-${made}`, statement, never);
        }),
      );
    return { batcher, calls, ride, timers };
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('what becomes ready while a call is in the air waits for its return, and then travels together', async () => {
    const { calls, ride } = heldBatcher();
    const rides = [ride(2)];
    await turn();
    rides.push(ride(1), ride(2));
    await turn();
    rides.push(ride(1));
    await turn();
    expect(calls.map(({ size }) => size)).toEqual([2]);
    calls[0]?.end();
    await turn();
    expect(calls.map(({ size }) => size)).toEqual([2, 4]);
    calls[1]?.end();
    expect((await Promise.all(rides)).flat()).toEqual(Array(6).fill({ status: 'landed' }));
  });

  test('a single write in the air is waited for too', async () => {
    const { batcher, calls, ride } = heldBatcher();
    const { promise, resolve } = Promise.withResolvers<void>();
    const single = batcher.byItself(() => promise);
    void ride(1);
    await turn();
    void ride(1);
    await turn();
    expect(calls).toEqual([]);
    resolve();
    await single;
    await turn();
    expect(calls.map(({ size }) => size)).toEqual([2]);
  });

  test('one that hangs is waited for a moment only, and leaves no timer when it ends', async () => {
    const { calls, ride, timers } = heldBatcher();
    const hung = ride(2);
    await turn();
    const others = [ride(1), ride(1)];
    await turn();
    expect([...timers.values()]).toEqual([250]);
    for (const [late] of [...timers]) late();
    await turn();
    expect(calls.map(({ size }) => size)).toEqual([2, 2]);
    calls[1]?.end();
    expect((await Promise.all(others)).flat()).toEqual(Array(2).fill({ status: 'landed' }));
    calls[0]?.end();
    await hung;
    expect([calls.length, timers.size]).toEqual([2, 0]);
  });

  test('a full call waits for nobody', async () => {
    const { calls, ride } = heldBatcher();
    void ride(2);
    await turn();
    void ride(30);
    await turn();
    expect(calls.map(({ size }) => size)).toEqual([2, 25]);
  });

  test('who gave up before the call left is not in it', async () => {
    const sizes: number[] = [];
    const batcher = createBatcher(
      async (statements) => {
        sizes.push(statements.length);
        return statements.map(() => undefined);
      },
      processAmbient,
      { whileInTheAir: false },
    );
    const gaveUp = new AbortController();
    const rides = ['a', 'b'].map((rowKey) => batcher.ride(rowKey, statement, never));
    const late = batcher.ride('late', statement, gaveUp.signal);
    gaveUp.abort(new Error('gave up'));
    await expect(late).rejects.toThrow('gave up');
    await Promise.all(rides);
    expect(sizes).toEqual([2]);
  });
});
