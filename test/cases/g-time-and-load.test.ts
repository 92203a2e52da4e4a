/** Field cases 21 and 22: out of time in the middle of a batch, and everything at once. */
import { describe, expect, it } from 'vitest';
import { FencedOutError } from '../../lib/errors.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { Message } from '../../lib/options.ts';
import { hang } from '../support/faulty-table.ts';
import { again, failedIds, fifoRecord, record } from '../support/records.ts';
import { faces, middys, wholeEvent, world } from '../support/rig.ts';

const ids = (count: number) => Array.from({ length: count }, (_, place) => `m${place}`);

describe.each(faces)('case 21, behind %s: time runs out in the middle of a batch', (face) => {
  it('nothing starts with less than the reserve, and nothing is claimed for what does not start', async () => {
    const w = world();
    const runs: string[] = [];
    const deliver = w.consumer(
      async ({ key }: Message) => {
        runs.push(key);
        await w.clock.wait(1_000);
      },
      { concurrency: 1 },
      face,
    );
    const messages = ids(10).map((id) => record(id));
    const answer = await w.clock.until(deliver(messages, w.clock.context(5_999)));
    expect(runs).toEqual(ids(5));
    expect(failedIds(answer)).toEqual(ids(10).slice(5));
    expect(w.rows().map(({ status }) => status)).toEqual(Array(5).fill('completed'));
    expect([...w.sqs.visibility.values()]).toEqual([0, 0, 0, 0, 0]);
    expect(w.seen.of('unstarted')).toHaveLength(5);
    const rest = messages.slice(5).map((each) => again(each));
    expect(failedIds(await w.clock.until(deliver(rest, w.clock.context(60_000))))).toEqual([]);
    expect(w.rows().map(({ attempts }) => attempts)).toEqual(Array(10).fill(1));
    expect(w.clock.timers).toBe(0);
  });

  it('a handler that outlives its signal keeps its claim, and can neither commit nor send nor name an effect', async () => {
    const w = world();
    const refused: unknown[] = [];
    let abortedAt: number | undefined;
    const startedAt = w.clock.wallMillis();
    const deliver = w.consumer(
      async ({ key }: Message, attempt: Attempt) => {
        if (key !== 'm1') return;
        attempt.signal.addEventListener('abort', () => {
          abortedAt = w.clock.wallMillis() - startedAt;
        });
        await w.clock.wait(60_000);
        for (const late of [
          () => attempt.transaction.put({ TableName: 'ledger', Item: { id: 'late' } }),
          () => attempt.followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/n', body: 'late' }),
          () => attempt.effectKey('late'),
        ]) {
          try {
            late();
          } catch (error) {
            refused.push(error);
          }
        }
      },
      {},
      face,
    );
    const answer = await w.clock.until(deliver([record('m1'), record('m2')], w.clock.context(10_000)));
    expect(failedIds(answer)).toEqual(['m1']);
    expect(abortedAt).toBe(9_500);
    expect(w.clock.wallMillis() - startedAt).toBe(9_750);
    expect(w.row('m1')).toMatchObject({ status: 'leased', attempts: 1 });
    expect(w.row('m2')?.status).toBe('completed');
    // Of no use before the lease is over: 11 s and the skew, of which 9.75 are gone.
    expect(w.sqs.visibility.get('receipt handle of m1')).toBe(3);

    await w.clock.pass(60_000);
    expect(refused).toHaveLength(3);
    for (const error of refused) expect(error).toBeInstanceOf(FencedOutError);
    // It succeeded after all, with nothing collected: that is recorded, so that it is not done twice.
    expect(w.row('m1')?.status).toBe('completed');
    expect(failedIds(await deliver([again(record('m1'))], w.clock.context(10_000)))).toEqual([]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'failed', 'completed', 'duplicate']);
    expect(w.clock.timers).toBe(0);
  });

  it.each(['succeeds with something collected', 'fails'])(
    'one that %s too late leaves its end unknown',
    async (how) => {
      const w = world();
      const deliver = w.consumer(
        async (_message: unknown, attempt: Attempt) => {
          if (how !== 'fails') attempt.transaction.put({ TableName: 'ledger', Item: { id: 'early' } });
          await w.clock.wait(60_000);
          if (how === 'fails') throw new Error('late');
        },
        {},
        face,
      );
      expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(10_000))))).toEqual([
        'm1',
      ]);
      await w.clock.pass(60_000);
      expect(w.row('m1')?.status).toBe('leased');
      expect(w.items('ledger')).toEqual([]);
    },
  );

  it('calls that hang are given up in time for the answer', async () => {
    const w = world();
    const startedAt = w.clock.wallMillis();
    const deliver = w.consumer(
      async ({ key }: Message) => {
        await w.clock.wait(3_000);
        if (key === 'm1') throw new Error('fails');
      },
      {},
      face,
    );
    for (const name of ['GetQueueUrl', 'GetQueueAttributes', 'ChangeMessageVisibilityBatch']) {
      w.sqs.answer(name, () => new Promise(() => {}));
    }
    w.faults.intercept((call) => (call.purpose === 'settle' ? hang(call.signal) : call.make()));
    const answer = await w.clock.until(deliver([record('m1'), record('m2')], w.clock.context(4_000)));
    expect(failedIds(answer)).toEqual(['m1']);
    expect(w.clock.wallMillis() - startedAt).toBeLessThan(4_000);
  });

  it('what goes back has its visibility set, also when a handler is left behind', async () => {
    const w = world();
    const deliver = w.consumer(
      async ({ key }: Message) => {
        if (key === 'a1') await w.clock.wait(60_000);
        throw new Error('fails');
      },
      {},
      face,
    );
    const messages = ['a1', 'b1', 'a2', 'b2'].map((id) => fifoRecord(id));
    const answer = await w.clock.until(deliver(messages, w.clock.context(5_000)));
    expect(failedIds(answer)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(Object.fromEntries(w.sqs.visibility)).toEqual({
      'receipt handle of a1': 3,
      'receipt handle of a2': 0,
      'receipt handle of b1': 23,
      'receipt handle of b2': 0,
    });
  });
});

describe.each(middys)('case 21, an event taken whole under %s', (_, middy) => {
  it('is given back, attempts and all, when claiming took the time', async () => {
    const w = world();
    let calls = 0;
    const deliver = wholeEvent(middy, w.options({ concurrency: 1 }), () => {
      calls += 1;
    });
    w.faults.intercept(async (call) => {
      if (call.purpose === 'acquire') await w.clock.wait(900);
      return call.make();
    });
    const messages = ids(10).map((id) => record(id));
    const answer = await w.clock.until(deliver(messages, w.clock.context(5_000)));
    expect(failedIds(answer)).toEqual(ids(10));
    expect(calls).toBe(0);
    for (const row of w.rows()) expect(row).toMatchObject({ status: 'released', attempts: 0 });
    expect(w.rows().length).toBeGreaterThan(1);
    expect(new Set(w.sqs.visibility.values())).toEqual(new Set([0]));
    w.faults.heal();
    expect(failedIds(await w.clock.until(deliver(messages, w.clock.context(5_000))))).toEqual([]);
    expect(calls).toBe(1);
    expect(w.clock.timers).toBe(0);
  });
});

describe('case 22: everything at once', () => {
  it('10,000 records keep to the concurrency, claims and returns as well as handlers', async () => {
    const w = world();
    const most = { handlers: 0, calls: 0, returns: 0 };
    const now = { handlers: 0, calls: 0, returns: 0 };
    const counted = async <Value>(what: keyof typeof now, work: () => Promise<Value>): Promise<Value> => {
      now[what] += 1;
      most[what] = Math.max(most[what], now[what]);
      try {
        return await work();
      } finally {
        now[what] -= 1;
      }
    };
    w.faults.intercept((call) => counted('calls', async () => call.make()));
    w.sqs.answer('ChangeMessageVisibilityBatch', () => counted('returns', async () => ({ Successful: [] })));
    const deliver = w.consumer(
      ({ key }: Message) =>
        counted('handlers', async () => {
          await null;
          if (key.endsWith('7')) throw new Error('fails');
        }),
      { concurrency: 40, observers: [] },
    );
    const messages = ids(10_000).map((id) => record(id));
    const before = process.memoryUsage().heapUsed;
    const answer = await deliver(messages, w.clock.context(60_000));
    expect(failedIds(answer)).toHaveLength(1_000);
    expect(most.handlers).toBeLessThanOrEqual(40);
    expect(most.calls).toBeLessThanOrEqual(40);
    expect(most.returns).toBeLessThanOrEqual(10);
    expect(most.handlers).toBeGreaterThan(10);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1_024 * 1_024);
    expect(w.clock.timers).toBe(0);
  });
});

describe.each(faces)('a parser that takes long, behind %s', (face) => {
  it('holds up its own message only, keeps to the concurrency, and is left behind in the end', async () => {
    const w = world();
    let parsing = 0;
    let most = 0;
    const deliver = w.consumer(
      () => undefined,
      {
        concurrency: 3,
        parse: async (text: string) => {
          parsing += 1;
          most = Math.max(most, parsing);
          await (text === 'hangs' ? new Promise(() => {}) : w.clock.wait(10));
          parsing -= 1;
          return text;
        },
      } as never,
      face,
    );
    const messages = ids(9).map((id, place) => record(id, { body: place === 1 ? 'hangs' : 'ends' }));
    const answer = await w.clock.until(deliver(messages, w.clock.context(5_000)));
    expect(failedIds(answer)).toEqual(['m1']);
    expect(most).toBe(3);
    expect(w.seen.of('failed')).toMatchObject([{ messageId: 'm1', reason: 'unread' }]);
    expect(w.sqs.visibility.get('receipt handle of m1')).toBe(23);
    expect(w.rows()).toHaveLength(8);
    expect(w.clock.timers).toBe(0);
  });
});
