import { appendFileSync } from 'node:fs';
import { consumeOnce, PoisonMessageError } from 'sqs-once';
import { z } from 'zod';

const surveys = process.env.SURVEYS_QUEUE_URL ?? '';
const Signup = z.object({ customerId: z.string(), address: z.string() });

export const handler = consumeOnce(
  { scope: 'welcome-mail', schema: Signup, key: ({ body }) => body.customerId },
  async ({ body: { customerId, address } }, attempt) => {
    // The first version takes addresses in capitals for mistakes.
    if (address !== address.toLowerCase()) throw new PoisonMessageError('an address in capitals');
    const mail = { customerId, address, key: attempt.effectKey('mail') };
    appendFileSync('outbox.jsonl', `${JSON.stringify(mail)}\n`);
    attempt.followUps.send({ queueUrl: surveys, body: { customerId } });
    return { address };
  },
);
