import { z } from 'zod';
import { consumeOnce, logTo } from '../lib/index.ts';
import { setting } from './environment.ts';

const receipts = setting('RECEIPTS_TABLE');

const Capture = z.object({ orderId: z.string(), amountCents: z.int().positive() });

/** The end of the chain, without Middy. It counts its copies, so that a second one would show. */
export const handler = consumeOnce(
  { scope: 'send-receipt', schema: Capture, observers: [logTo(console)] },
  async ({ body: { orderId, amountCents } }, attempt) => {
    attempt.transaction.update({
      TableName: receipts,
      Key: { orderId },
      UpdateExpression: 'SET amountCents = :amount ADD copies :one',
      ExpressionAttributeValues: { ':amount': amountCents, ':one': 1 },
    });
  },
);
