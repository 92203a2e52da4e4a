import { claimReader } from '../../redrive/claims.ts';
import { findQueue } from '../../redrive/queue.ts';
import { redrive } from '../../redrive/redrive.ts';
import { dynamoClaims } from '../../store/dynamo.ts';
import type { WayBack } from './evidence.ts';
import { closedMerchant } from './plan.ts';
import { type Stage, tables } from './stage.ts';

/**
 * What a person does when the alarm rang: the cause first, then `sqs-once dlq redrive`. One parking may have
 * been sent twice, by the worker that parked and by a duplicate that came before it was done; it counts once.
 */
export async function bringBack({ aws, gateway, queues }: Stage): Promise<WayBack> {
  const sqs = aws.sqs();
  await gateway.openMerchant(closedMerchant);
  const parked = new Set<string>();
  const redriven = new Set<string>();
  await redrive({
    sqs,
    queue: await findQueue(sqs, queues.payments.deadLetterQueueUrl),
    readClaim: claimReader(dynamoClaims({ client: aws.dynamo(), tableName: tables.claims })),
    selection: {},
    dryRun: false,
    onOutcome({ letter, status, plan, error }) {
      if (error !== undefined) throw error;
      const parking = letter.once?.parkId ?? letter.messageId;
      parked.add(parking);
      if (status === 'done' && plan.action === 'send') redriven.add(parking);
    },
  });
  return { parked: parked.size, redriven: redriven.size };
}
