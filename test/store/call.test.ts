// A call to the table ends within its limit, whatever the client does, and leaves nothing behind.
import { describe, expect, test } from 'vitest';
import { call } from '../../lib/store/call.ts';
import { awsError, hang } from '../support/faulty-table.ts';
import { type HandClock, handClock, settled } from '../support/hand-clock.ts';

const limit = { timeoutMillis: 2_000 };

/** A client that ends its `n`-th try as told, and keeps to the last word. */
function client(...endings: readonly ((signal: AbortSignal) => Promise<string>)[]) {
  const triedAt: number[] = [];
  return {
    triedAt,
    send: (clock: HandClock) => (signal: AbortSignal) => {
      triedAt.push(clock.ambient.monotonicMillis() - 1_000);
      return (
        (endings[triedAt.length - 1] ?? endings.at(-1))?.(signal) ?? Promise.reject(new Error('no ending'))
      );
    },
  };
}

const answer = () => Promise.resolve('answer');
const failing = (name: string) => () => Promise.reject(awsError(name));
const conflict = failing('TransactionConflictException');

describe('a call', () => {
  test('hands on the answer and keeps no timer', async () => {
    const clock = handClock();
    expect(await call(clock.ambient, limit, client(answer).send(clock))).toBe('answer');
    expect(clock.timers).toBe(0);
  });

  test('hands on an error at once', async () => {
    const clock = handClock();
    const told = call(clock.ambient, limit, client(failing('ThrottlingException')).send(clock));
    await expect(told).rejects.toMatchObject({ name: 'ThrottlingException' });
    expect(clock.timers).toBe(0);
  });

  test.each([
    ['hears of it', hang],
    ['is deaf to it', () => new Promise<never>(() => {})],
  ])('that hangs is given up at its limit, when the client %s', async (_, hanging) => {
    const clock = handClock();
    let signal: AbortSignal | undefined;
    const told = call(clock.ambient, limit, (given) => {
      signal = given;
      return hanging(given);
    });
    let over = false;
    told.catch(() => {
      over = true;
    });
    await clock.pass(1_999);
    expect([over, signal?.aborted]).toEqual([false, false]);
    await clock.pass(1);
    await expect(told).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: expect.stringContaining('2000 ms'),
    });
    expect([over, signal?.aborted]).toEqual([true, true]);
    expect(clock.timers).toBe(0);
  });
});

describe('rows that a transaction keeps busy', () => {
  test('are tried again, at growing distances, until they are free', async () => {
    const clock = handClock();
    const busy = client(conflict, failing('TransactionInProgressException'), conflict, conflict, answer);
    expect(await clock.until(call(clock.ambient, limit, busy.send(clock)))).toBe('answer');
    expect(busy.triedAt).toEqual([0, 5, 15, 35, 75]);
    expect(clock.timers).toBe(0);
  });

  test('are given up at the limit: no try comes after it, and the last conflict is told', async () => {
    const clock = handClock();
    const busy = client(conflict);
    const told = call(clock.ambient, limit, busy.send(clock));
    await expect(clock.until(told)).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      cause: { name: 'TransactionConflictException' },
    });
    const tries = busy.triedAt.length;
    expect(tries).toBeGreaterThan(10);
    expect(clock.timers).toBe(0);
    await clock.pass(60_000);
    expect(busy.triedAt).toHaveLength(tries);
  });

  test('cannot hold a call whose try comes back busy after the limit', async () => {
    const clock = handClock();
    const late = Promise.withResolvers<never>();
    const busy = client(() => late.promise);
    const told = call(clock.ambient, limit, busy.send(clock));
    const given = expect(told).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await clock.pass(2_000);
    await given;
    late.reject(awsError('TransactionConflictException'));
    await settled();
    await clock.pass(60_000);
    expect([busy.triedAt, clock.timers]).toEqual([[0], 0]);
  });
});
