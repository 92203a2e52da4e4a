// The testing kit tells the truth: what it fakes behaves, and what it finds it names.
import middy from '@middy/core';
import { expect, test } from 'vitest';
import { consumeOnce, memoryClaims } from '../../lib/index.ts';
import {
  type CrashPoint,
  crashAfter,
  handClock,
  interleave,
  lambdaContext,
  memorySqs,
  redeliver,
  sqsEvent,
} from '../../lib/testing.ts';
import { paymentHandler } from './payments.ts';

const order = sqsEvent([{ body: { orderId: 'A-17' } }]);

test('a hand clock moves when it is told to, and only forward', () => {
  const clock = handClock(new Date(5_000));
  clock.passSeconds(1.5);
  expect(clock()).toBe(6_500);
  expect(() => clock.passSeconds(-1)).toThrow(RangeError);
  expect(() => clock.passSeconds(Number.NaN)).toThrow('NaN');
});

test.each(['x', 5_000, new Date('x')])('a hand clock refuses to start at %j', (start) => {
  expect(() => handClock(start as Date)).toThrow(`handClock was given ${start}; give a Date with a time`);
});

test.each([
  [undefined, 'sqsEvent was given undefined; give a list of messages: [{ body:'],
  [{ body: 1 }, 'sqsEvent was given an object; give a list'],
  [
    [{ body: 1 }, { bdy: 1 }],
    'message 2 of sqsEvent has no body, it is an object with bdy; give one as in [{ body:',
  ],
  [[{ body: undefined }], 'message 1 of sqsEvent has no body'],
  [['text'], 'message 1 of sqsEvent has no body, it is a string'],
])('an event of %j is refused with what would do', (messages, sentence) => {
  expect(() => sqsEvent(messages as never)).toThrow(TypeError);
  expect(() => sqsEvent(messages as never)).toThrow(sentence);
});

test('on a hand clock a message is as young as it is: what failed without a row runs again', async () => {
  const runs: number[] = [];
  const options = {
    scope: 'test',
    claim: 'with-commit',
    claims: memoryClaims({ clock: handClock() }),
  } as const;
  const handler = consumeOnce(options, (_message, { number }) => {
    runs.push(number);
    if (number === 1) throw new Error('not yet');
  });
  await redeliver(handler, order, 2);
  expect(runs).toEqual([1, 2]);
});

test('each redelivery counts one receive more', async () => {
  const receives: unknown[] = [];
  const handler = async (event: typeof order) =>
    receives.push(event.Records[0]?.attributes.ApproximateReceiveCount);
  await redeliver(handler, order, 3);
  expect(receives).toEqual(['1', '2', '3']);
});

test('a handler of Middy’s takes redeliveries as it is', async () => {
  const remaining: number[] = [];
  const handler = middy(async (_event: typeof order, context: { getRemainingTimeInMillis(): number }) => {
    remaining.push(context.getRemainingTimeInMillis());
  });
  await redeliver(handler, order, 2);
  expect(remaining).toEqual([30_000, 30_000]);
  expect(lambdaContext(3).getRemainingTimeInMillis()).toBe(3_000);
});

test('a context that counts by the hand clock runs out: what there is no time left for is not begun', async () => {
  const clock = handClock();
  const endsAt = clock() + 3_000;
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => endsAt - clock() };
  const messages = ['A-17', 'B-18'].map((orderId) => ({ body: { orderId }, groupId: 'one' }));
  const two = sqsEvent(messages, { queue: 'payments.fifo' });
  const charges: string[] = [];
  const charge = (orderId: string) => {
    charges.push(orderId);
    clock.passSeconds(2.5);
  };
  const handler = paymentHandler({ claims: memoryClaims({ clock }), charge });
  expect((await handler(two, context)).batchItemFailures).toEqual([{ itemIdentifier: 'message-2' }]);
  expect(charges).toEqual(['A-17']);
  // The kit's own says the same at every reading.
  const claims = memoryClaims({ clock });
  expect((await paymentHandler({ claims, charge })(two, lambdaContext(3))).batchItemFailures).toEqual([]);
});

test('a message that fails comes back when memorySqs says', async () => {
  const sqs = memorySqs();
  const charge = () => {
    throw new Error('the gateway is away');
  };
  const handler = paymentHandler({ claims: memoryClaims(), sqs, charge });
  expect((await handler(order)).batchItemFailures).toEqual([{ itemIdentifier: 'message-1' }]);
  expect(sqs.returned).toHaveLength(1);
  expect(sqs.returned[0]?.visibleInSeconds).toBeGreaterThanOrEqual(15);
});

test('memorySqs refuses what it cannot do, by name', async () => {
  class PurgeQueueCommand {
    readonly input = {};
  }
  await expect(memorySqs().send(new PurgeQueueCommand())).rejects.toThrow('PurgeQueue');
});

test('the dead-letter queue of a FIFO queue is one itself', async () => {
  class GetQueueAttributesCommand {
    readonly input = { QueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/pay.fifo' };
  }
  const { Attributes } = await memorySqs({ maxReceiveCount: 7 }).send(new GetQueueAttributesCommand());
  expect(JSON.parse(Attributes.RedrivePolicy)).toEqual({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:pay-dlq.fifo',
    maxReceiveCount: 7,
  });
});

test.each<[CrashPoint, string, number]>([
  ['claim', 'leased', 0],
  ['work', 'leased', 1],
  ['outcome', 'completed', 1],
])('a process that dies after its %s leaves a %s row and %i charges', async (point, status, count) => {
  const claims = memoryClaims();
  const charges: string[] = [];
  const doomed = crashAfter(point, claims);
  const charge = (orderId: string) => charges.push(orderId);
  const lost = paymentHandler({ claims: doomed.claims, charge });
  await doomed.run(() => lost(order));
  await new Promise((resolve) => setImmediate(resolve));
  expect(claims.items().map((row) => row.status?.S)).toEqual([status]);
  expect(charges).toHaveLength(count);
});

test('a process that dies after recording a parking has sent nothing', async () => {
  const claims = memoryClaims();
  const doomed = crashAfter('parking', claims);
  const lost = paymentHandler({ claims: doomed.claims });
  await doomed.run(() => lost(sqsEvent([{ body: 'no JSON' }])));
  expect(claims.items().map((row) => row.status?.S)).toEqual(['parked']);
  expect(claims.sqs.sent).toEqual([]);
});

test('interleaving finds a consumer that checks before it writes, and names the order', async () => {
  const checkThenAct = interleave({ claims: () => memoryClaims() }, async ({ step }) => {
    const done = new Set<string>();
    const charges: string[] = [];
    const deliver = async () => {
      await step();
      if (done.has('A-17')) return;
      await step();
      charges.push('A-17');
      done.add('A-17');
    };
    await Promise.all([deliver(), deliver()]);
    expect(charges).toHaveLength(1);
  });
  await expect(checkThenAct).rejects.toThrow(/run it again with \{ seed: \d+, orders: 1 \}/);
});

test('the same seed draws the same order', async () => {
  const orderOf = async (seed: number) => {
    const steps: string[] = [];
    await interleave({ claims: () => memoryClaims(), seed, orders: 1 }, async ({ step }) => {
      const walk = async (name: string) => {
        for (let at = 0; at < 5; at += 1) {
          await step();
          steps.push(name);
        }
      };
      await Promise.all([walk('a'), walk('b')]);
    });
    return steps.join('');
  };
  expect(await orderOf(3)).toBe(await orderOf(3));
  const orders = await Promise.all([1, 2, 3, 4, 5, 6].map(orderOf));
  expect(new Set(orders).size).toBeGreaterThan(1);
});

test('deliveries that wait for something else are found out', async () => {
  const stuck = interleave({ claims: () => memoryClaims(), orders: 1 }, () => new Promise(() => {}));
  await expect(stuck).rejects.toMatchObject({ cause: { message: expect.stringContaining('step()') } });
});

test.each<[string, () => unknown, string]>([
  ['no order', () => interleave({ claims: () => memoryClaims(), orders: 0 }, async () => {}), 'orders is 0;'],
  [
    'no seed',
    () => interleave({ claims: () => memoryClaims(), seed: Number.NaN }, async () => {}),
    'seed is NaN;',
  ],
  ['no delivery', () => redeliver(async () => {}, order, 0), 'times is 0;'],
  ['no point to die at', () => crashAfter('lunch' as never, memoryClaims()), '"lunch"; give one of claim,'],
  ['a queue that never delivers', () => memorySqs({ maxReceiveCount: 0 }), 'maxReceiveCount is 0;'],
  [
    'an option there is not',
    () => memoryClaims({ table: 't' } as never),
    'memoryClaims has no option "table"',
  ],
])('%s would prove nothing, and is refused', async (_, prove, sentence) => {
  await expect((async () => prove())()).rejects.toThrow(sentence);
});

test('an invocation that never comes to the point of its crash is an error, not a pass', async () => {
  const doomed = crashAfter('parking', memoryClaims());
  const healthy = paymentHandler({ claims: doomed.claims });
  await expect(doomed.run(() => healthy(order))).rejects.toThrow("never came to 'parking'");
});
