/** What a message goes through, verdict by verdict, behind every face of the consumer. */
import { describe, expect, it } from 'vitest';
import { rowKey, unkeyedRowKey } from '../lib/arrive/row-key.ts';
import { PoisonMessageError, RetryLaterError } from '../lib/errors.ts';
import type { Attempt } from '../lib/handle/attempt.ts';
import type { Message } from '../lib/options.ts';
import type { Outcome } from '../lib/settle/outcome.ts';
import { again, bodyOf, failedIds, fifoRecord, record } from './support/records.ts';
import { faces, world } from './support/rig.ts';

const byOrder = { key: ({ body }: { body: { order: string } }) => body.order } as never;
const order = (messageId: string, body: object = { order: 'A-17', cents: 1200 }) =>
  record(messageId, { body });

describe.each(faces)('behind %s', (face) => {
  it('a first delivery whose handler returns is acknowledged, with its result in the row', async () => {
    const w = world();
    const deliver = w.consumer(() => ({ charge: 'ch_1' }), {}, face);
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual([]);
    expect(w.row('m1')).toEqual({
      claim: rowKey(w.scope, 'm1'),
      status: 'completed',
      fence: 1,
      owner: 'owner-1',
      attempts: 1,
      expiresAt: w.clock.wallMillis() / 1_000 + 29 * 86_400,
      firstClaimedAt: w.clock.wallMillis(),
      claimedAt: w.clock.wallMillis(),
      settledAt: w.clock.wallMillis(),
      messageId: 'm1',
      result: '{"charge":"ch_1"}',
      version: 1,
    });
    expect(w.seen.story('m1')).toEqual(['claimed', 'completed']);
    expect(w.sqs.calls).toEqual([]);
  });

  it('a handler that throws has its message back after the backoff, and the next attempt knows why', async () => {
    const w = world();
    const attempts: Partial<Attempt>[] = [];
    const deliver = w.consumer(
      (_message: unknown, { number, isLast, previousAttempt }: Attempt) => {
        attempts.push({ number, isLast, ...(previousAttempt === undefined ? {} : { previousAttempt }) });
        throw new RangeError(`no luck ${number}`);
      },
      { maxAttempts: 3 },
      face,
    );
    const startedAt = w.clock.wallMillis();
    for (const [receives, seconds] of [
      [1, 23],
      [2, 68],
    ] as const) {
      const message = again(record('m1'), receives);
      expect(failedIds(await deliver([message], w.clock.context(9_000)))).toEqual(['m1']);
      expect(w.sqs.visibility.get(message.receiptHandle)).toBe(seconds);
      expect(w.row('m1')).toMatchObject({
        status: 'released',
        attempts: receives,
        lastError: `RangeError: no luck ${receives}`,
      });
      await w.clock.pass(100_000);
    }
    // The last attempt fails: parked at once, and acknowledged.
    expect(failedIds(await deliver([again(record('m1'), 3)], w.clock.context(9_000)))).toEqual([]);
    expect(attempts).toEqual([
      { number: 1, isLast: false },
      {
        number: 2,
        isLast: false,
        previousAttempt: {
          claimedAt: new Date(startedAt),
          endedAt: new Date(startedAt),
          error: 'RangeError: no luck 1',
        },
      },
      {
        number: 3,
        isLast: true,
        previousAttempt: {
          claimedAt: new Date(startedAt + 100_000),
          endedAt: new Date(startedAt + 100_000),
          error: 'RangeError: no luck 2',
        },
      },
    ]);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'attempts-exhausted', parkSent: true });
    expect(w.sqs.inputsOf('SendMessage')).toMatchObject([{ MessageBody: JSON.stringify(bodyOf('m1')) }]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'failed', 'claimed', 'failed', 'claimed', 'parked']);
  });

  it('a PoisonMessageError parks at once', async () => {
    const w = world();
    const deliver = w.consumer(
      () => {
        throw new PoisonMessageError('no such currency');
      },
      {},
      face,
    );
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual([]);
    expect(w.row('m1')).toMatchObject({
      status: 'parked',
      reason: 'poison',
      lastError: 'PoisonMessageError: no such currency',
    });
  });

  it('a RetryLaterError has the message back when asked, and the attempt does not count', async () => {
    const w = world();
    const numbers: number[] = [];
    const deliver = w.consumer(
      (_message: unknown, { number }: Attempt) => {
        numbers.push(number);
        throw new RetryLaterError({ afterSeconds: 77 });
      },
      { maxAttempts: 1 },
      face,
    );
    for (const receives of [1, 2, 3]) {
      const message = again(record('m1'), receives);
      expect(failedIds(await deliver([message], w.clock.context(9_000)))).toEqual(['m1']);
      expect(w.sqs.visibility.get(message.receiptHandle)).toBe(77);
    }
    expect(numbers).toEqual([1, 1, 1]);
    expect(w.row('m1')).toMatchObject({ status: 'released', attempts: 0 });
    expect(w.seen.of('deferred')).toHaveLength(3);
  });

  it('the same key twice in one event is done once, and both get what became of it', async () => {
    const w = world();
    const outcomes: Outcome[] = [];
    let runs = 0;
    const deliver = w.consumer(
      async () => {
        runs += 1;
        await w.clock.wait(50);
        return 'done';
      },
      {
        ...(byOrder as object),
        onDuplicate: (_message: unknown, outcome: Outcome) => void outcomes.push(outcome),
      },
      face,
    );
    const answer = deliver([order('m1'), order('m2'), order('m3')], w.clock.context(9_000));
    expect(failedIds(await w.clock.until(answer))).toEqual([]);
    expect(runs).toBe(1);
    expect(outcomes).toEqual([
      { status: 'completed', result: 'done' },
      { status: 'completed', result: 'done' },
    ]);
    expect(w.rows()).toHaveLength(1);
    expect(w.faults.purposes).toEqual(['acquire', 'settle']);
  });

  it('the same key twice in one event shares a failure, and its wait', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
        throw new Error('fails');
      },
      byOrder,
      face,
    );
    expect(failedIds(await deliver([order('m1'), order('m2')], w.clock.context(9_000)))).toEqual([
      'm1',
      'm2',
    ]);
    expect(runs).toBe(1);
    expect([...w.sqs.visibility.values()]).toEqual([23, 23]);
  });

  it('the same key with another payload is parked, in one event and later, and the first row is untouched', async () => {
    const w = world();
    const runs: unknown[] = [];
    const deliver = w.consumer(({ body }: Message) => void runs.push(body), byOrder, face);
    const other = { order: 'A-17', cents: 9900 };
    const together = [order('m1'), order('m2', other), order('m3', { cents: 1200, order: 'A-17' })];
    expect(failedIds(await deliver(together, w.clock.context(9_000)))).toEqual([]);
    const before = w.row('A-17');
    expect(failedIds(await deliver([order('m4', other)], w.clock.context(9_000)))).toEqual([]);
    expect(runs).toEqual([{ order: 'A-17', cents: 1200 }]);
    expect(w.row('A-17')).toEqual(before);
    for (const id of ['m2', 'm4']) {
      expect(w.rows().find(({ claim }) => claim === unkeyedRowKey(w.scope, id))).toMatchObject({
        status: 'parked',
        reason: 'key-reused',
        messageId: id,
      });
    }
    expect(w.seen.of('key-reused').map(({ messageId }) => messageId)).toEqual(['m2', 'm4']);
    expect(w.seen.story('m3')).toEqual(['duplicate']);
  });

  it('the same key twice in one event, the first of which is parked: another message comes back', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
        throw new PoisonMessageError('poison');
      },
      byOrder,
      face,
    );
    expect(failedIds(await deliver([order('m1'), order('m2'), order('m1')], w.clock.context(9_000)))).toEqual(
      ['m2'],
    );
    expect(runs).toBe(1);
  });

  it('a worker killed after its commit has its unsent follow-ups sent by the redelivery', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      (_message: unknown, { followUps }: Attempt) => {
        runs += 1;
        followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next', body: { n: 1 } });
        followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next', body: { n: 2 } });
      },
      {},
      face,
    );
    w.sqs.answer('SendMessageBatch', ({ Entries }, call) => {
      const [first, ...others] = Entries as { Id: string }[];
      return call === 1 ? { Successful: [first], Failed: others } : { Successful: Entries, Failed: [] };
    });
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual(['m1']);
    expect(w.row('m1')).toMatchObject({ status: 'completed', followUpsSent: 1 });
    expect(failedIds(await deliver([again(record('m1'))], w.clock.context(9_000)))).toEqual([]);
    expect(runs).toBe(1);
    const sent = w.sqs
      .inputsOf('SendMessageBatch')
      .map(({ Entries }) => Entries.map(({ MessageBody }: { MessageBody: string }) => MessageBody));
    expect(sent).toEqual([['{"n":1}', '{"n":2}'], ['{"n":2}']]);
    expect(w.row('m1')?.followUps).toBeUndefined();
  });

  it('a delivery older than its row, received before, is parked and not run', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
      },
      { retentionSeconds: 86_400 },
      face,
    );
    const sentAt = new Date(w.clock.wallMillis() - 86_401_000);
    expect(failedIds(await deliver([record('m1', { sentAt, receives: 2 })], w.clock.context(9_000)))).toEqual(
      [],
    );
    expect(runs).toBe(0);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'beyond-retention', attempts: 0 });
    // A backlog that simply waited is no redelivery.
    expect(failedIds(await deliver([record('m2', { sentAt })], w.clock.context(9_000)))).toEqual([]);
    expect(runs).toBe(1);
  });

  it('the handler is given a message and an attempt, and both are what they say', async () => {
    const w = world();
    const seen: { message: Message; attempt: Attempt }[] = [];
    const deliver = w.consumer(
      (message: Message, attempt: Attempt) => void seen.push({ message, attempt }),
      {},
      face,
    );
    const given = fifoRecord('a1', { receives: 3, sentAt: new Date(w.clock.wallMillis() - 5_000) });
    await deliver([given], w.clock.context(9_000));
    const [{ message, attempt } = expect.fail('nothing ran')] = seen;
    expect(message).toEqual({
      body: bodyOf('a1'),
      key: 'a1',
      record: given,
      receives: 3,
      sentAt: new Date(w.clock.wallMillis() - 5_000),
      groupId: 'a',
    });
    expect(message.record).not.toBe(given);
    expect(Object.isFrozen(message.record)).toBe(true);
    expect(attempt).toMatchObject({ number: 1, isLast: false });
    expect(attempt.previousAttempt).toBeUndefined();
    expect(attempt.signal.aborted).toBe(false);
    expect(attempt.effectKey('capture')).toMatch(/^[\w-]{1,64}$/);
    expect(() => attempt.effectKey('capture', { lifetimeSecond: 60 } as never)).toThrow(
      'effectKey has no option "lifetimeSecond"; it has lifetimeSeconds',
    );
  });

  it('without partial responses everything is settled, and then the invocation fails', async () => {
    const w = world();
    const runs: string[] = [];
    let fail = true;
    const deliver = w.consumer(
      ({ key }: Message) => {
        runs.push(key);
        if (key === 'm2' && fail) throw new Error('fails');
      },
      { partialResponses: false },
      face,
    );
    const messages = ['m1', 'm2', 'm3'].map((id) => record(id));
    await expect(deliver(messages, w.clock.context(9_000))).rejects.toThrow('1 of 3');
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'released', 'completed']);
    fail = false;
    expect(
      failedIds(
        await deliver(
          messages.map((each) => again(each)),
          w.clock.context(9_000),
        ),
      ),
    ).toEqual([]);
    expect(runs).toEqual(['m1', 'm2', 'm3', 'm2']);
  });

  it('an observer that throws, now or later, harms nothing', async () => {
    const w = world();
    const observers = [
      () => {
        throw new Error('now');
      },
      () => Promise.reject(new Error('later')),
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
      () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('later')) }),
      w.seen.observer,
    ];
    const deliver = w.consumer(() => undefined, { observers } as never, face);
    expect(failedIds(await deliver([record('m1')], w.clock.context(9_000)))).toEqual([]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'completed']);
  });
});
