/**
 * L2, fenced, behind HTTP: an attempt that lost its claim writes nothing, sends nothing and answers nothing.
 */
import { describe, expect, it } from 'vitest';
import { keyed, type Receivers, receiver, receiversWithout, requestRow } from '../support/receiver-rig.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { caught, withoutCondition } from '../support/twins.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/next';

type Ending = 'answers' | 'answers 503' | 'throws';

/**
 *   A claims ── frozen ────────────────────────────── wakes, ends: too late
 *                 lease over ── B claims ── answers
 */
async function wakesAfterATakeover(
  twin: WorldOptions & { readonly receivers?: Receivers },
  ending: Ending,
  collects: boolean,
): Promise<void> {
  const w = world(twin);
  const more = twin.receivers === undefined ? {} : { receivers: twin.receivers };
  const other = receiver(w, () => ({ statusCode: 201, body: 'B' }), more);
  const frozen = receiver(
    w,
    async (_, attempt) => {
      if (collects) {
        attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'A' } });
        attempt.transaction.check({
          TableName: 'orders',
          Key: { orderId: 'other' },
          ConditionExpression: 'attribute_not_exists(orderId)',
        });
        attempt.followUps.send({ queueUrl, body: 'A' });
      }
      // The wall clock of everybody else goes on; nothing of this process rings meanwhile.
      w.clock.jump({ wall: 60_000 });
      expect((await other(keyed('k1'), w.clock.context(30_000))).status).toBe(201);
      if (ending === 'throws') throw new Error('A');
      return { statusCode: ending === 'answers' ? 201 : 503, body: 'A' };
    },
    more,
  );
  const answer = await w.clock
    .until(frozen(keyed('k1'), w.clock.context(30_000)))
    .catch((error: Error) => ({ status: error.message, body: '' }));
  expect(answer.status).toBe({ answers: 409, 'answers 503': 503, throws: 'A' }[ending]);
  expect(w.items('orders')).toEqual([]);
  expect(w.sqs.calls).toEqual([]);
  expect(requestRow(w, 'k1')).toMatchObject({ status: 'completed', fence: 2, attempts: 2 });
  expect(w.seen.of('fenced-out')).toHaveLength(1);
  expect((await other(keyed('k1'))).body.toString()).toBe('B');
}

describe.each<Ending>(['answers', 'answers 503', 'throws'])(
  'an owner that wakes too late and %s',
  (ending) => {
    it("leaves the new owner's row, table and queue as they are", async () => {
      await wakesAfterATakeover({}, ending, false);
      await wakesAfterATakeover({}, ending, true);
    });
  },
);

it.each<[Ending, boolean]>([
  ['answers', false],
  ['answers', true],
  ['answers 503', false],
  ['throws', false],
])('a store that forgets the fence is caught when it %s (collecting: %s)', (ending, collects) =>
  caught(wakesAfterATakeover({ table: withoutCondition(/\bfence|#owner|#status IN/) }, ending, collects)),
);

it('an engine that answers for the attempt that lost its claim is caught', async () => {
  const { recordOutcome } = await import('../../lib/settle/record-outcome.ts');
  const twin: typeof recordOutcome = async (...asked) => {
    const recorded = await recordOutcome(...asked);
    return recorded.status === 'fenced-out' ? { status: 'rejected', reason: 'late' } : recorded;
  };
  const receivers = await receiversWithout('settle/record-outcome.ts', { recordOutcome: twin });
  await caught(wakesAfterATakeover({ receivers }, 'answers', false));
});

it('a heartbeat that is refused takes the answer from an owner that still runs', async () => {
  const w = world();
  const other = receiver(w, () => ({ statusCode: 201, body: 'B' }));
  let aborted = false;
  const slow = receiver(
    w,
    async (_, attempt) => {
      await w.clock.wait(1_000);
      w.clock.jump({ wall: 60_000 });
      expect((await other(keyed('k1'), w.clock.context(30_000))).body.toString()).toBe('B');
      await w.clock.wait(20_000);
      aborted = attempt.signal.aborted;
      return { statusCode: 201, body: 'A' };
    },
    { leaseSeconds: 9 },
  );
  expect((await w.clock.until(slow(keyed('k1'), w.clock.context(300_000)))).status).toBe(409);
  expect(aborted).toBe(true);
  expect((await other(keyed('k1'))).body.toString()).toBe('B');
});
