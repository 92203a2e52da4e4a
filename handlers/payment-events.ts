import middy from '@middy/core';
import { z } from 'zod';
import { idempotentConsumer, logTo, stateMachine } from '../lib/index.ts';
import { setting } from './environment.ts';

const payments = setting('PAYMENTS_TABLE');
const balances = setting('BALANCES_TABLE');
const receipts = setting('RECEIPTS_QUEUE_URL');

const machine = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });

const PaymentEvent = z.object({
  type: z.enum(['authorised', 'captured', 'voided', 'refunded']),
  orderId: z.string(),
  merchantId: z.string(),
  amountCents: z.int().positive(),
});

const events = idempotentConsumer({
  scope: 'payment-events',
  schema: PaymentEvent,
  // No key is given: a follow-up brings one of its own, any other event goes by its message id.
  // All this handler does is in its transaction, so claim and work are one write.
  claim: 'with-commit',
  // What is early waits for an event that is seconds away.
  backoff: { minSeconds: 1, maxSeconds: 60, factor: 2 },
  maxAttempts: 10,
  observers: [logTo(console)],
});

/** Events may come twice, late or in any order: a payment goes only where the machine goes. */
export const handler = middy()
  .use(events)
  .handler(
    events.eachMessage(async ({ body: { type, orderId, merchantId, amountCents } }, attempt) => {
      attempt.transaction.transition({
        TableName: payments,
        Key: { orderId },
        attribute: 'state',
        machine,
        to: type,
        set: { [`${type}At`]: new Date().toISOString() },
      });
      if (type === 'captured') {
        attempt.followUps.send({ queueUrl: receipts, body: { orderId, amountCents } });
      }
      if (type === 'refunded') {
        attempt.transaction.update({
          TableName: balances,
          Key: { merchantId },
          UpdateExpression: 'ADD balanceCents :amount',
          ExpressionAttributeValues: { ':amount': -amountCents },
        });
      }
    }),
  );
