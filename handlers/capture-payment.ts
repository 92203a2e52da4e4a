import middy from '@middy/core';
import { z } from 'zod';
import { idempotentConsumer, logTo, PoisonMessageError } from '../lib/index.ts';
import { setting } from './environment.ts';
import { capture } from './gateway.ts';

const captures = setting('CAPTURES_TABLE');
const balances = setting('BALANCES_TABLE');
const paymentEvents = setting('PAYMENT_EVENTS_QUEUE_URL');

const Order = z.object({ orderId: z.string(), merchantId: z.string(), amountCents: z.int().positive() });

const payments = idempotentConsumer({
  scope: 'capture-payment',
  schema: Order,
  key: ({ body }) => body.orderId,
  observers: [logTo(console)],
});

export const handler = middy()
  .use(payments)
  .handler(
    payments.eachMessage(async ({ body: order }, attempt) => {
      const { orderId, merchantId, amountCents } = order;
      // The gateway remembers keys for a day: a later attempt would charge again, so it parks instead.
      const idempotencyKey = attempt.effectKey('capture', { lifetimeSeconds: 86_400 });
      const charge = await capture(order, { idempotencyKey, signal: attempt.signal });
      if (charge.status === 'refused') throw new PoisonMessageError(`the gateway refuses: ${charge.reason}`);

      const { chargeId } = charge;
      attempt.transaction.put({ TableName: captures, Item: { captureId: chargeId, orderId, amountCents } });
      attempt.transaction.update({
        TableName: balances,
        Key: { merchantId },
        UpdateExpression: 'ADD balanceCents :amount',
        ExpressionAttributeValues: { ':amount': amountCents },
      });
      attempt.followUps.send({ queueUrl: paymentEvents, body: { type: 'captured', ...order } });
      return { chargeId };
    }),
  );
