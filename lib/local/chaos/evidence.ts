import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { onceAttributeOf } from '../../arrive/once-attribute.ts';
import type { Ledger } from '../gateway-ledger.ts';
import { acknowledge, readQueue } from '../queue.ts';
import { toRecord } from '../record.ts';
import { scanTable } from '../scan-table.ts';
import type { Receipts } from './receipts.ts';
import { tables, type World } from './world.ts';

const Capture = z.object({ captureId: z.string(), orderId: z.string(), amountCents: z.number() });
const Balance = z.object({
  merchantId: z.string(),
  balanceCents: z.number(),
  orderIds: z.array(z.string()),
});
const ClaimEvidence = z.object({
  claim: z.string(),
  status: z.string(),
  fence: z.number(),
  attempts: z.number(),
  parkSent: z.boolean().optional(),
});
export type ClaimEvidence = z.infer<typeof ClaimEvidence>;

/** What is there in the end, read where no handler had a hand in it: tables, queues and the gateway's ledger. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly captures: readonly z.infer<typeof Capture>[];
  readonly balances: readonly z.infer<typeof Balance>[];
  readonly claims: readonly ClaimEvidence[];
  readonly receipts: Pick<Receipts, 'copies' | 'strayKeys'>;
  /** Message ids in the dead-letter queue, as they were first sent. */
  readonly deadLetters: readonly string[];
  /** Messages left in the queue. */
  readonly left: number;
}

export async function gatherEvidence(world: World, receipts: Receipts): Promise<Evidence> {
  const { aws, gateway, queues } = world;
  const dynamo = aws.dynamo();
  return {
    ledger: await gateway.ledger(),
    captures: await scanTable(dynamo, tables.captures, (item) => Capture.parse(item)),
    balances: await scanTable(dynamo, tables.balances, (item) => Balance.parse(item)),
    claims: await scanTable(dynamo, tables.claims, (item) => ClaimEvidence.parse(item)),
    receipts,
    deadLetters: await readDeadLetters(world),
    left: (await readQueue(aws.sqs(), queues.queueUrl)).messages,
  };
}

/** Takes everything out of the dead-letter queue. */
async function readDeadLetters({ aws, queues }: World): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const { Messages = [] } = await aws.sqs().send(
      new ReceiveMessageCommand({
        QueueUrl: queues.deadLetterQueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return found;
    const records = Messages.map((message) => toRecord(message, queues.deadLetterQueueArn));
    found.push(...records.map((record) => onceAttributeOf(record)?.messageId ?? record.messageId));
    // A FIFO queue hands out the next of a group only when the one before is gone.
    await acknowledge(
      aws.sqs(),
      queues.deadLetterQueueUrl,
      records.map((record) => ({ record, duplicated: false })),
    );
  }
}
