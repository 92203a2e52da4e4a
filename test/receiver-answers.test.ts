// Which answers are recorded, what of them is, and for how long.
import { describe, expect, it } from 'vitest';
import { receiveOnce } from '../lib/receiver.ts';
import { type Asked, eventOf } from './support/http-events.ts';
import { keyed, receiver, receiverOptions, requestRow } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';
import { rejectionsUnheardIn } from './support/unheard.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

describe('an answer with status', () => {
  const kept = [200, 201, 202, 204, 301, 303, 400, 404, 409, 410, 422];
  const passing = [401, 403, 408, 425, 429, 500, 502, 503];

  async function runsOfTwo(statusCode: number, record?: (status: number) => boolean) {
    const w = world();
    let runs = 0;
    const ask = receiver(
      w,
      (_, attempt) => {
        runs += 1;
        attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'o1', runs } });
        attempt.transaction.check({
          TableName: 'orders',
          Key: { orderId: 'other' },
          ConditionExpression: 'attribute_not_exists(orderId)',
        });
        attempt.followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/1/next', body: { runs } });
        return { statusCode, body: `run ${runs}` };
      },
      record === undefined ? {} : { record },
    );
    const answers = [await ask(create), await ask(create)];
    expect(answers.map(({ status }) => status)).toEqual([statusCode, statusCode]);
    return { w, runs, replayed: answers[1]?.headers['idempotency-replayed'] };
  }

  it.each(kept)('%i is recorded and replayed', async (statusCode) => {
    const { w, runs, replayed } = await runsOfTwo(statusCode);
    expect([runs, replayed]).toEqual([1, 'true']);
    expect(w.items('orders')).toHaveLength(1);
    expect(w.sqs.inputsOf('SendMessageBatch')).toHaveLength(1);
  });

  it.each(passing)(
    '%i is never recorded: the retry runs, and what was collected is discarded',
    async (statusCode) => {
      const { w, runs, replayed } = await runsOfTwo(statusCode);
      expect([runs, replayed]).toEqual([2, undefined]);
      expect(w.items('orders')).toEqual([]);
      expect(w.sqs.calls).toEqual([]);
      expect(requestRow(w, 'k1')).toMatchObject({
        status: 'released',
        attempts: 2,
        lastError: `answered ${statusCode}`,
      });
      expect(w.seen.of('failed').map(({ reason }) => reason)).toEqual([
        `status ${statusCode}`,
        `status ${statusCode}`,
      ]);
    },
  );

  it('is recorded or not as `record` says', async () => {
    expect((await runsOfTwo(500, (status) => status === 500)).runs).toBe(1);
    expect((await runsOfTwo(200, (status) => status === 500)).runs).toBe(2);
  });

  it('is judged by the default when `record` itself fails, since the work is done', async () => {
    const broken = () => {
      throw new Error('oh');
    };
    expect((await runsOfTwo(201, broken)).runs).toBe(1);
    expect((await runsOfTwo(503, broken)).runs).toBe(2);
  });

  it('is judged by the default when `record` answers a promise, which is neither yes nor no', async () => {
    const late = async () => {
      throw new Error('late');
    };
    const unheard = await rejectionsUnheardIn(async () => {
      expect((await runsOfTwo(201, late as never)).runs).toBe(1);
      expect((await runsOfTwo(503, late as never)).runs).toBe(2);
    });
    expect(unheard).toEqual([]);
  });
});

describe('an answer', () => {
  it('is sent as it was recorded, whatever becomes of its parts meanwhile', async () => {
    const w = world();
    const shared = { last: 'mine' };
    const ask = receiver(w, () => ({ statusCode: 200, body: shared }), {
      observers: [
        ({ type }) => {
          if (type === 'settling') shared.last = "another request's";
        },
      ],
    });
    const first = await ask(create);
    expect(first.json).toEqual({ last: 'mine' });
    expect((await ask(create)).json).toEqual(first.json);
  });

  it("carries our mark of a replay once, though it brought another service's", async () => {
    const answer = { statusCode: 200, headers: { 'Idempotency-Replayed': 'false' } };
    const lambda = receiveOnce(receiverOptions(world()), () => answer);
    const event = eventOf('function URL', create);
    expect((await lambda(event)).headers).toEqual(answer.headers);
    expect((await lambda(event)).headers).toEqual({ 'idempotency-replayed': 'true' });
  });

  it('too large to keep reaches the first caller; a retry gets the status and is told so', async () => {
    const w = world();
    let runs = 0;
    const body = 'x'.repeat(400_000);
    const ask = receiver(w, () => {
      runs += 1;
      return { statusCode: 201, headers: { Location: '/a' }, body };
    });
    expect((await ask(create)).body.toString()).toBe(body);
    expect(await ask(create)).toMatchObject({
      status: 201,
      headers: { location: '/a', 'idempotency-replayed': 'body-not-kept' },
      body: Buffer.alloc(0),
    });
    expect(runs).toBe(1);
  });

  it('that cannot be sent is said to be one, to the first caller and to a retry, and never made again', async () => {
    const w = world();
    let runs = 0;
    const ask = receiver(w, () => {
      runs += 1;
      return { statusCode: 42 };
    });
    const first = await ask(create);
    expect(first).toMatchObject({ status: 500, json: { type: expect.stringMatching(/#answer-unusable$/) } });
    expect((await ask(create)).json).toEqual(first.json);
    expect(runs).toBe(1);
  });

  it('is gone with the retention, a day, counted anew when a retry comes in its second half', async () => {
    const w = world();
    let runs = 0;
    const ask = receiver(w, () => {
      runs += 1;
    });
    await ask(create);
    const hour = 3_600_000;
    const left = () => (requestRow(w, 'k1')?.expiresAt ?? 0) - w.clock.wallMillis() / 1_000;
    expect(left()).toBe(86_400);
    await w.clock.pass(11 * hour);
    await ask(create);
    expect(left()).toBe(13 * 3_600);
    await w.clock.pass(2 * hour);
    await ask(create);
    expect(left()).toBe(86_400);
    await w.clock.pass(24 * hour);
    expect((await ask(create)).headers).not.toHaveProperty('idempotency-replayed');
    expect(runs).toBe(2);
  });

  it('is remembered for as long as the option says', async () => {
    const w = world();
    await receiver(w, () => undefined, { retentionSeconds: 3_600 })(create);
    expect(requestRow(w, 'k1')?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 3_600);
  });
});
