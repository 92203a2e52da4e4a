// What the README's program takes for granted: the reader's own schema, gateway and queue.
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

export const Order = z.object({ orderId: z.string(), amountCents: z.number() });

export const receipts = process.env.RECEIPTS_QUEUE_URL ?? '';

/** One that keeps no keys, so that every call of it is money. */
export const gateway = {
  async capture({ orderId }: z.infer<typeof Order>, { idempotencyKey }: { idempotencyKey: string }) {
    appendFileSync(process.env.CALLS_FILE ?? 'calls.txt', `${orderId} ${idempotencyKey}\n`);
    return { id: `charge of ${orderId}` };
  },
};
