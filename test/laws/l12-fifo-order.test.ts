/**
 * L12, FIFO order: a message group stops at its first unsettled message. Runs of a group start in send order
 * and do not overlap; outcomes, collected writes and follow-ups land in send order. Groups run beside each
 * other, a group never beside itself.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { attemptFor } from '../../lib/handle/attempts.ts';
import * as lanes from '../../lib/handle/lanes.ts';
import type { Message } from '../../lib/options.ts';
import { again, failedIds, fifoRecord, record } from '../support/records.ts';
import { type Face, faces, middys, type WorldOptions, wholeEvent, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

const interleaved = ['a1', 'b1', 'a2', 'b2', 'a3'];

async function aFailureStopsItsGroup(twin: WorldOptions, face: Face): Promise<void> {
  const w = world(twin);
  const started: string[] = [];
  const running = new Set<string>();
  let together = 0;
  let heal = false;
  const deliver = w.consumer(
    async ({ record: { messageId } }: Message) => {
      const group = messageId.slice(0, 1);
      started.push(messageId);
      expect(running.has(group), `group ${group} runs beside itself`).toBe(false);
      running.add(group);
      together = Math.max(together, running.size);
      await w.clock.wait(100);
      running.delete(group);
      if (messageId === 'a1' && !heal) throw new Error('a1 fails');
    },
    {},
    face,
  );
  const messages = interleaved.map((id) => fifoRecord(id));
  const answer = await w.clock.until(deliver(messages, w.clock.context(30_000)));
  expect(failedIds(answer)).toEqual(['a1', 'a2', 'a3']);
  expect(started).toEqual(['a1', 'b1', 'b2']);
  expect(together).toBe(2);
  // Not started, not claimed, not counted; its own group waits for the head, nobody waits for them.
  expect(w.rows().map(({ messageId }) => messageId)).toEqual(['a1', 'b1', 'b2']);
  expect([...w.sqs.visibility]).toEqual([
    ['receipt handle of a1', 23],
    ['receipt handle of a2', 0],
    ['receipt handle of a3', 0],
  ]);
  heal = true;
  started.length = 0;
  const rest = messages.filter(({ messageId }) => messageId.startsWith('a')).map((each) => again(each));
  expect(failedIds(await w.clock.until(deliver(rest, w.clock.context(30_000))))).toEqual([]);
  expect(started).toEqual(['a1', 'a2', 'a3']);
  expect(w.row('a2')?.attempts).toBe(1);
  expect(w.row('a1')?.attempts).toBe(2);
}

describe.each(faces)('behind %s', (face) => {
  it('a failure stops its group and only its group', () => aFailureStopsItsGroup({}, face));
});

it('an engine whose groups go on after a failure is caught', async () => {
  const runLanes: typeof lanes.runLanes = (all, concurrency, work, skip) =>
    lanes.runLanes(all, concurrency, (item) => work(item).then(() => 'settled' as const), skip);
  await caught(
    aFailureStopsItsGroup({ engine: await engineWithout('handle/lanes.ts', { runLanes }) }, 'consumeOnce'),
  );
});

it('an engine that knows no groups is caught', async () => {
  const lanesOf: typeof lanes.lanesOf = (items) => items.map((item) => [item]);
  await caught(
    aFailureStopsItsGroup({ engine: await engineWithout('handle/lanes.ts', { lanesOf }) }, 'consumeOnce'),
  );
});

it('an engine that runs groups one after the other is caught', async () => {
  const lanesOf: typeof lanes.lanesOf = (items) => [items];
  await caught(
    aFailureStopsItsGroup({ engine: await engineWithout('handle/lanes.ts', { lanesOf }) }, 'consumeOnce'),
  );
});

it('a group id in a standard queue is a tenant, and orders nothing', async () => {
  const w = world();
  const started: string[] = [];
  const deliver = w.consumer(({ record: { messageId } }: Message) => {
    started.push(messageId);
    if (messageId === 'a1') throw new Error('a1 fails');
  });
  const messages = ['a1', 'a2', 'a3'].map((id) => record(id, { groupId: 'a' }));
  expect(failedIds(await deliver(messages, w.clock.context(30_000)))).toEqual(['a1']);
  expect(started).toEqual(['a1', 'a2', 'a3']);
});

it('messages of a FIFO queue without a group id are one group', async () => {
  const w = world();
  const started: string[] = [];
  const deliver = w.consumer(({ record: { messageId } }: Message) => {
    started.push(messageId);
    throw new Error('fails');
  });
  const nameless = ['x1', 'x2'].map((id) => {
    const given = fifoRecord(id);
    const { MessageGroupId: _, ...attributes } = given.attributes;
    return { ...given, attributes };
  });
  expect(failedIds(await deliver(nameless, w.clock.context(30_000)))).toEqual(['x1', 'x2']);
  expect(started).toEqual(['x1']);
});

const heads: readonly (readonly [string, (w: ReturnType<typeof world>) => Promise<void>])[] = [
  [
    'in flight elsewhere',
    async (w) => {
      const elsewhere = w.consumer(() => w.clock.wait(20_000));
      void elsewhere([fifoRecord('a1')], w.clock.context(30_000));
      await w.clock.pass(0);
    },
  ],
  [
    'refused by a throttled table',
    async (w) => {
      w.faults.intercept((call) =>
        call.purpose === 'acquire' && call.count === 1
          ? Promise.reject(Object.assign(new Error('slow'), { name: 'ThrottlingException' }))
          : call.make(),
      );
    },
  ],
  [
    'poison that the dead-letter queue does not take',
    async (w) => {
      w.seed({
        claim: 'tests#a1',
        status: 'released',
        fence: 5,
        owner: 'o',
        attempts: 5,
        claimedAt: 1,
        expiresAt: 3e9,
      });
      w.sqs.answer('SendMessage', () => {
        throw new Error('no');
      });
    },
  ],
];

it.each(heads)('a head that is %s stops its group', async (_, arrange) => {
  const w = world();
  const started: string[] = [];
  const deliver = w.consumer(({ record: { messageId } }: Message) => void started.push(messageId));
  await arrange(w);
  const messages = interleaved.map((id) => fifoRecord(id));
  const answer = await w.clock.until(deliver(messages, w.clock.context(10_000)));
  expect(failedIds(answer)).toEqual(['a1', 'a2', 'a3']);
  expect(started).toEqual(['b1', 'b2']);
});

const settledHeads: readonly (readonly [string, Parameters<ReturnType<typeof world>['seed']>[0]])[] = [
  [
    'done',
    {
      claim: 'tests#a1',
      status: 'completed',
      fence: 1,
      owner: 'o',
      attempts: 1,
      claimedAt: 1,
      expiresAt: 3e9,
    },
  ],
  [
    'poison',
    {
      claim: 'tests#a1',
      status: 'released',
      fence: 5,
      owner: 'o',
      attempts: 5,
      claimedAt: 1,
      expiresAt: 3e9,
    },
  ],
];

it.each(settledHeads)('a head that is %s lets its group go on at once', async (_, row) => {
  const w = world();
  const started: string[] = [];
  const deliver = w.consumer(({ record: { messageId } }: Message) => void started.push(messageId));
  w.seed(row);
  const messages = interleaved.map((id) => fifoRecord(id));
  expect(failedIds(await w.clock.until(deliver(messages, w.clock.context(10_000))))).toEqual([]);
  expect(started.filter((id) => id.startsWith('a'))).toEqual(['a2', 'a3']);
});

it('a poison head that is held keeps its group back', async () => {
  const w = world();
  const started: string[] = [];
  const deliver = w.consumer(
    ({ record: { messageId } }: Message) => {
      started.push(messageId);
      throw new Error('poison');
    },
    { fifoPoison: 'hold', maxAttempts: 1 },
  );
  const messages = ['a1', 'a2'].map((id) => fifoRecord(id));
  expect(failedIds(await deliver(messages, w.clock.context(10_000)))).toEqual(['a1', 'a2']);
  const second = await deliver(
    messages.map((each) => again(each)),
    w.clock.context(10_000),
  );
  expect(failedIds(second)).toEqual(['a1', 'a2']);
  expect(started).toEqual(['a1']);
  expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
  expect(w.sqs.visibility.get('receipt handle 2 of a1')).toBe(15 * 60);
});

const inSendOrder = (twin: WorldOptions, seed?: number) =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        ids: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), {
          minLength: 2,
          maxLength: 10,
          selector: ([group, place]) => `${group}${place}`,
        }),
        takes: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 10, maxLength: 10 }),
        slow: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 40, maxLength: 40 }),
        fails: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        concurrency: fc.integer({ min: 1, max: 5 }),
      }),
      async ({ ids, takes, slow, fails, concurrency }) => {
        const w = world(twin);
        const sent = ids.map(([group, place]) => `${group}${place}`);
        const landed: string[] = [];
        let calls = 0;
        w.faults.intercept(async (call) => {
          calls += 1;
          await w.clock.wait(slow[calls % slow.length] ?? 0);
          return call.make();
        });
        w.sqs.answer('SendMessageBatch', ({ Entries }) => {
          landed.push(...Entries.map(({ MessageBody }: { MessageBody: string }) => MessageBody));
          return { Successful: Entries.map(({ Id }: { Id: string }) => ({ Id })) };
        });
        const deliver = w.consumer(
          async ({ record: { messageId } }: Message, attempt: Attempt) => {
            const place = sent.indexOf(messageId);
            await w.clock.wait(takes[place] ?? 0);
            if (fails[place]) throw new Error('fails');
            attempt.transaction.put({ TableName: 'ledger', Item: { id: messageId } });
            attempt.followUps.send({
              queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next',
              body: messageId,
            });
          },
          { concurrency },
        );
        const answer = await w.clock.until(
          deliver(
            sent.map((id) => fifoRecord(id)),
            w.clock.context(60_000),
          ),
        );
        for (const group of ['a', 'b', 'c']) {
          const lane = sent.filter((id) => id.startsWith(group));
          const firstFailure = lane.findIndex((id) => fails[sent.indexOf(id)]);
          const done = firstFailure < 0 ? lane : lane.slice(0, firstFailure);
          const left = lane.slice(done.length);
          expect(failedIds(answer).filter((id) => id.startsWith(group))).toEqual(left);
          expect(landed.filter((id) => id.startsWith(group))).toEqual(done);
          const written = w.items('ledger').map(({ id }) => id?.S ?? '');
          expect(written.filter((id) => id.startsWith(group))).toEqual(done);
        }
        expect(w.clock.timers).toBe(0);
      },
    ),
    { numRuns: 60, ...(seed === undefined ? {} : { seed }) },
  );

it('outcomes, collected writes and follow-ups land in send order in every interleaving', () =>
  inSendOrder({}));

it('an engine whose groups start together is caught in some interleaving', async () => {
  const lanesOf: typeof lanes.lanesOf = (items) => items.map((item) => [item]);
  await caught(inSendOrder({ engine: await engineWithout('handle/lanes.ts', { lanesOf }) }, 12));
});

describe.each(middys)('a handler that takes its event whole, under %s', (_, middy) => {
  it('is given no message after one of its group that may not run', async () => {
    const w = world();
    const elsewhere = w.consumer(() => w.clock.wait(20_000));
    void elsewhere([fifoRecord('a2')], w.clock.context(30_000));
    await w.clock.pass(0);
    const seen: string[] = [];
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      seen.push(...Records.map(({ messageId }) => messageId));
    });
    const messages = interleaved.map((id) => fifoRecord(id));
    expect(failedIds(await w.clock.until(deliver(messages, w.clock.context(10_000))))).toEqual(['a2', 'a3']);
    expect(seen).toEqual(['a1', 'b1', 'b2']);
  });

  it('has its outcomes land in send order', async () => {
    const w = world();
    const order: string[] = [];
    w.faults.intercept(async (call) => {
      await w.clock.wait(call.purpose === 'settle' ? 100 - 10 * call.count : 0);
      await call.make();
      order.push(
        ...w
          .rows()
          .filter(
            ({ status, messageId }) =>
              status === 'completed' && messageId !== undefined && !order.includes(messageId),
          )
          .map(({ messageId }) => messageId ?? ''),
      );
    });
    const deliver = wholeEvent(middy, w.options(), () => undefined);
    const messages = ['a1', 'a2', 'a3', 'a4'].map((id) => fifoRecord(id));
    expect(failedIds(await w.clock.until(deliver(messages, w.clock.context(10_000))))).toEqual([]);
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('has nothing it collected land behind a message that came back with the parking of another', async () => {
    const w = world();
    const options = w.options({
      key: (message: { body: unknown }) => (message.body as { id: string }).id,
    } as never);
    const deliver = wholeEvent(middy, options, ({ Records }) => {
      const [head, last] = Records;
      expect([head?.messageId, last?.messageId]).toEqual(['a1', 'a3']);
      attemptFor(last as SqsRecord).transaction.update({
        TableName: 'ledger',
        Key: { id: 'a3' },
        UpdateExpression: 'SET done = :yes',
        ExpressionAttributeValues: { ':yes': true },
      });
      return [
        { status: 'rejected', reason: new PoisonMessageError('no such order') },
        { status: 'fulfilled', value: undefined },
      ];
    });
    const one = { body: { id: 'one' } };
    const event = [fifoRecord('a1', one), fifoRecord('a2', one), fifoRecord('a3')];
    const answer = await w.clock.until(deliver(event, w.clock.context(10_000)));
    // The second message of the key comes back, for only the first was parked; the third is behind it.
    expect(failedIds(answer)).toEqual(['a2', 'a3']);
    expect(w.items('ledger')).toEqual([]);
  });
});
