/** Field cases 1 to 5: claims and leases under races, edits, kills and clocks. */
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { rowKey } from '../../lib/arrive/row-key.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { Message } from '../../lib/options.ts';
import { again, failedIds, fifoRecord, record } from '../support/records.ts';
import { faces, middys, wholeEvent, world } from '../support/rig.ts';
import { anotherProcess } from '../support/twins.ts';

describe('case 1: the handler edits what it was given', () => {
  const edits: ((given: SqsRecord, body: { id?: string }, event: { Records: SqsRecord[] }) => void)[] = [
    (given, body) => {
      Object.assign(given, { body: '{"id":"other"}', messageId: 'other', receiptHandle: 'other' });
      Object.assign(given.attributes, { MessageGroupId: 'other', ApproximateReceiveCount: '99' });
      delete (given as { messageAttributes?: unknown }).messageAttributes;
      body.id = 'other';
    },
    (_given, _body, event) => {
      event.Records.length = 0;
    },
    (_given, _body, event) => {
      event.Records.reverse();
    },
  ];

  describe.each(middys)('in an event taken whole, under %s', (_, middy) => {
    it.each(edits)('and the claims are closed all the same', async (edit) => {
      const w = world();
      let fail = true;
      let calls = 0;
      const key = ({ body }: { body: { id: string } }) => body.id;
      const deliver = wholeEvent(middy, w.options({ key } as never), (event) => {
        calls += 1;
        const results = event.Records.map(({ messageId }) =>
          fail && messageId === 'b1'
            ? { status: 'rejected', reason: new Error('b1 fails') }
            : { status: 'fulfilled', value: messageId },
        );
        const [first] = event.Records;
        if (first !== undefined) edit(first, JSON.parse(first.body), event);
        return results;
      });
      const messages = () => [fifoRecord('a1'), fifoRecord('b1'), fifoRecord('c1')];
      expect(failedIds(await w.clock.until(deliver(messages(), w.clock.context(9_000))))).toEqual(['b1']);
      expect(w.rows().map(({ claim, status, result }) => [claim, status, result])).toEqual([
        [rowKey(w.scope, 'a1'), 'completed', '"a1"'],
        [rowKey(w.scope, 'b1'), 'released', undefined],
        [rowKey(w.scope, 'c1'), 'completed', '"c1"'],
      ]);
      expect([...w.sqs.visibility.keys()]).toEqual(['receipt handle of b1']);
      fail = false;
      const rest = messages().map((each) => again(each));
      expect(failedIds(await w.clock.until(deliver(rest, w.clock.context(9_000))))).toEqual([]);
      expect(calls).toBe(2);
      expect(w.rows()).toHaveLength(3);
    });
  });

  it.each(faces)('of one message, behind %s, succeed or throw', async (face) => {
    const w = world();
    const deliver = w.consumer(
      (message: Message<{ id: string; items: string[] }>) => {
        message.body.items.push('more');
        message.body.id = 'other';
        expect(() => Object.assign(message, { key: 'other' })).toThrow();
        if (message.receives === 1) throw new Error('once more');
      },
      { key: ({ body }: { body: { id: string } }) => body.id } as never,
      face,
    );
    const message = record('m1', { body: { id: 'order-1', items: [] } });
    for (const [delivery, failed] of [
      [1, ['m1']],
      [2, []],
      [3, []],
    ] as const) {
      expect(failedIds(await deliver([again(message, delivery)], w.clock.context(9_000)))).toEqual(failed);
    }
    expect(w.rows().map(({ claim, status, attempts }) => [claim, status, attempts])).toEqual([
      [rowKey(w.scope, 'order-1'), 'completed', 2],
    ]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'failed', 'claimed', 'completed', 'duplicate']);
  });
});

describe('case 2: an owner that is gone, or only seems so', () => {
  async function abandonedBy(w: ReturnType<typeof world>, options = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    let attempt: Attempt | undefined;
    const deliver = w.consumer(
      (_message: unknown, given: Attempt) => {
        attempt = given;
        return promise;
      },
      options,
      'consumeOnce',
      await anotherProcess(),
    );
    const answer = deliver([record('m1')], { getRemainingTimeInMillis: () => 600_000 });
    await w.clock.pass(602_000);
    return { answer, wake: resolve, fail: reject, attempt: attempt as unknown as Attempt };
  }

  it.each(['succeeds', 'fails', 'commits', 'sends'])(
    'one that wakes after a takeover and %s changes nothing',
    async (how) => {
      const w = world();
      const { answer, wake, fail, attempt } = await abandonedBy(w);
      // It takes over, and still runs when the first owner wakes.
      const other = w.consumer(() => w.clock.wait(5_000));
      const taken = other([again(record('m1'))], w.clock.context(60_000));
      await w.clock.pass(1);
      expect(w.row('m1')).toMatchObject({ status: 'leased', fence: 2, attempts: 2 });
      const before = w.row('m1');
      if (how === 'commits') attempt.transaction.put({ TableName: 'ledger', Item: { id: 'late' } });
      if (how === 'sends')
        attempt.followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/n', body: 'late' });
      if (how === 'fails') fail(new Error('late'));
      else wake('late');
      expect(failedIds(await answer)).toEqual(['m1']);
      expect(w.row('m1')).toEqual(before);
      expect(w.items('ledger')).toEqual([]);
      expect(
        w.sqs.calls.filter(({ name }) => name !== 'GetQueueUrl' && name !== 'GetQueueAttributes'),
      ).toEqual([]);
      expect(w.seen.of('fenced-out')).toHaveLength(1);
      expect(failedIds(await w.clock.until(taken))).toEqual([]);
      expect(w.row('m1')).toMatchObject({ status: 'completed', fence: 2 });
    },
  );

  it('its message can be parked for a person instead of running again', async () => {
    const w = world();
    await abandonedBy(w);
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
      },
      { abandoned: 'park' },
    );
    expect(failedIds(await w.clock.until(deliver([again(record('m1'))], w.clock.context(60_000))))).toEqual(
      [],
    );
    expect(runs).toBe(0);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'abandoned', attempts: 1, parkSent: true });
    expect(w.sqs.inputsOf('SendMessage')).toHaveLength(1);
  });

  it('a message that failed in a known way runs again where abandoned ones are parked', async () => {
    const w = world();
    let fail = true;
    const deliver = w.consumer(
      () => {
        if (fail) throw new Error('known');
      },
      { abandoned: 'park' },
    );
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual(['m1']);
    fail = false;
    expect(failedIds(await deliver([again(record('m1'))], w.clock.context(9_000)))).toEqual([]);
    expect(w.row('m1')).toMatchObject({ status: 'completed', attempts: 2 });
  });
});

describe('case 4: a renewal in the air when the work ends', () => {
  it('neither disturbs the outcome nor comes after it, and the next invocation sees no timer of it', async () => {
    const w = world();
    const deliver = w.consumer(({ key }: Message) => w.clock.wait(key === 'm1' ? 1_010 : 10), {
      leaseSeconds: 3,
    });
    const order: string[] = [];
    w.faults.intercept(async (call) => {
      if (call.purpose === 'renew') await w.clock.wait(100);
      const answer = await call.make();
      order.push(call.purpose);
      return answer;
    });
    expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(60_000))))).toEqual([]);
    await w.clock.pass(10_000);
    // The tick of the first second was sent before the outcome and lands after it: out-fenced by the status.
    expect(order).toEqual(['acquire', 'settle']);
    expect(w.row('m1')?.status).toBe('completed');
    expect(w.clock.timers).toBe(0);
    expect(failedIds(await w.clock.until(deliver([record('m2')], w.clock.context(60_000))))).toEqual([]);
    expect(order).toEqual(['acquire', 'settle', 'acquire', 'settle']);
    expect(w.seen.of('failed')).toEqual([]);
  });

  it('when it is refused mid-work, the signal is aborted and the message is not done', async () => {
    const w = world();
    const reasons: unknown[] = [];
    const deliver = w.consumer(
      async (_message: unknown, { signal }: Attempt) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(signal.reason);
      },
      { leaseSeconds: 3 },
    );
    const answer = deliver([record('m1')], w.clock.context(60_000));
    await w.clock.pass(500);
    w.seed({ ...w.row('m1'), claim: rowKey(w.scope, 'm1'), owner: 'another', fence: 2 });
    expect(failedIds(await w.clock.until(answer))).toEqual(['m1']);
    expect(reasons).toMatchObject([{ name: 'FencedOutError', message: 'the claim is taken' }]);
    expect(w.row('m1')).toMatchObject({ status: 'leased', owner: 'another', fence: 2 });
    expect(w.seen.story('m1')).toEqual(['claimed', 'fenced-out']);
    expect(w.sqs.visibility.size).toBe(0);
    expect(w.clock.timers).toBe(0);
  });

  it.each(['hang', 'throttled'])(
    'when renewals %s, the signal is aborted no later than the lease ends',
    async (how) => {
      const w = world();
      let abortedAt: number | undefined;
      const deliver = w.consumer(
        async (_message: unknown, { signal }: Attempt) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          abortedAt = w.clock.wallMillis();
        },
        { leaseSeconds: 9 },
      );
      w.faults.intercept((call) => {
        if (call.purpose !== 'renew') return call.make();
        if (how === 'throttled') throw Object.assign(new Error('slow'), { name: 'ThrottlingException' });
        return new Promise((_, reject) =>
          call.signal.addEventListener('abort', () => reject(new Error('cut'))),
        );
      });
      const startedAt = w.clock.wallMillis();
      await w.clock.until(deliver([record('m1')], w.clock.context(60_000)));
      expect(abortedAt).toBe(startedAt + 9_000);
    },
  );
});

describe('case 5: expiry is whole seconds and is compared, not awaited', () => {
  it('the row carries ten digits', async () => {
    const w = world();
    await w.consumer(() => undefined)([record('m1')], w.clock.context(9_000));
    expect(String(w.row('m1')?.expiresAt)).toMatch(/^\d{10}$/);
    expect(w.row('m1')?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 29 * 86_400);
    await w.consumer(() => undefined)([fifoRecord('a1')], w.clock.context(9_000));
    expect(w.row('a1')?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 57 * 86_400);
  });

  it.each(['completed', 'released', 'parked'] as const)(
    'a row that was %s and expired is claimed at once, afresh',
    async (status) => {
      const w = world();
      const numbers: number[] = [];
      w.seed({
        claim: rowKey(w.scope, 'm1'),
        status,
        fence: 9,
        owner: 'o',
        attempts: 4,
        claimedAt: 1,
        firstClaimedAt: 1,
        expiresAt: w.clock.wallMillis() / 1_000 - 3_600,
        result: '"old"',
        lastError: 'old',
      });
      const deliver = w.consumer((_message: unknown, attempt: Attempt) => {
        numbers.push(attempt.number);
        expect(attempt.previousAttempt).toBeUndefined();
        return 'new';
      });
      expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual([]);
      expect(numbers).toEqual([1]);
      expect(w.row('m1')).toMatchObject({
        fence: 10,
        attempts: 1,
        result: '"new"',
        firstClaimedAt: w.clock.wallMillis(),
      });
      expect(w.row('m1')?.lastError).toBeUndefined();
    },
  );

  it('a row swept between claim and outcome is not written blindly', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done');
    w.faults.intercept((call) => {
      if (call.purpose === 'settle') {
        // What DynamoDB says of a condition on a row that is gone.
        throw Object.assign(new Error('gone'), { name: 'ConditionalCheckFailedException' });
      }
      return call.purpose === 'read' ? undefined : call.make();
    });
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual(['m1']);
    expect(w.seen.story('m1')).toEqual(['claimed', 'fenced-out']);
  });
});
