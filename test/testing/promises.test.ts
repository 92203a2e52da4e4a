// The promises a user of the testing kit writes down, each in about ten lines. docs/testing.md shows them.
import { expect, test } from 'vitest';
import { memoryClaims, PoisonMessageError } from '../../lib/index.ts';
import { crashAfter, handClock, interleave, redeliver, sqsEvent } from '../../lib/testing.ts';
import { paymentEventHandler, paymentHandler } from './payments.ts';

const order = sqsEvent([{ body: { orderId: 'A-17' } }]);
const acknowledged = { batchItemFailures: [] };

test('a duplicate delivery charges once', async () => {
  const charges: string[] = [];
  const handler = paymentHandler({
    claims: memoryClaims(),
    charge: (orderId) => charges.push(orderId),
  });
  const answers = await redeliver(handler, order, 3);
  expect(charges).toEqual(['A-17']);
  expect(answers).toEqual([acknowledged, acknowledged, acknowledged]);
});

test('out of order is rejected', async () => {
  const claims = memoryClaims({ keys: { payments: ['orderId'] } });
  const handler = paymentEventHandler({ claims });
  for (const [place, state] of ['authorized', 'captured', 'refunded', 'captured'].entries()) {
    const event = sqsEvent([{ messageId: `event-${place}`, body: { orderId: 'A-17', state } }]);
    expect(await handler(event)).toEqual(acknowledged);
  }
  expect(claims.items('payments')).toEqual([{ orderId: { S: 'A-17' }, state: { S: 'refunded' } }]);
  expect(claims.items().map(({ status }) => status?.S)).toContain('rejected');
});

test('poison is parked at once and acknowledged', async () => {
  const claims = memoryClaims();
  const charge = () => {
    throw new PoisonMessageError('no such order');
  };
  const handler = paymentHandler({ claims, charge });
  expect(await handler(order)).toEqual(acknowledged);
  expect(claims.sqs.sent).toMatchObject([{ body: '{"orderId":"A-17"}' }]);
  expect(claims.sqs.sent[0]?.queueUrl).toMatch(/test-queue-dlq$/);
});

test('two deliveries at once charge once, in every order of their steps', async () => {
  await interleave({ claims: () => memoryClaims() }, async ({ claims, step }) => {
    const charges: string[] = [];
    const charge = async (orderId: string) => {
      await step();
      charges.push(orderId);
    };
    const handler = paymentHandler({ claims, charge });
    await Promise.all([handler(order), handler(order)]);
    expect(charges).toEqual(['A-17']);
  });
});

test('a worker killed after its claim is relieved when its lease is over, and not before', async () => {
  const clock = handClock();
  const claims = memoryClaims({ clock });
  const charges: string[] = [];
  const charge = (orderId: string) => charges.push(orderId);
  const doomed = crashAfter('claim', claims);
  const lost = paymentHandler({ claims: doomed.claims, charge });
  await doomed.run(() => lost(order));

  const next = paymentHandler({ claims, charge });
  expect((await next(order)).batchItemFailures).toHaveLength(1);
  expect(charges).toEqual([]);
  clock.passSeconds(61);
  expect(await next(order)).toEqual(acknowledged);
  expect(charges).toEqual(['A-17']);
});
