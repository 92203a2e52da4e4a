import { z } from 'zod';
import type { Ledger } from '../gateway-ledger.ts';
import { readQueue } from '../queue.ts';
import { scanTable } from '../scan-table.ts';
import { type ConsumerName, type Stage, tables } from './stage.ts';

const Capture = z.object({ captureId: z.string(), orderId: z.string(), amountCents: z.number() });
const Balance = z.object({ merchantId: z.string(), balanceCents: z.number() });
const Payment = z.object({ orderId: z.string(), state: z.string() });
const Receipt = z.object({ orderId: z.string(), copies: z.number() });
const ClaimEvidence = z.object({ claim: z.string(), status: z.string(), fence: z.number() });

/** What was parked before anybody acted, and what came back. */
export interface WayBack {
  readonly parked: number;
  readonly redriven: number;
}

/** What is there in the end, read where no handler had a hand in it: the gateway's ledger, tables and queues. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly captures: readonly z.infer<typeof Capture>[];
  readonly balances: readonly z.infer<typeof Balance>[];
  readonly payments: readonly z.infer<typeof Payment>[];
  readonly receipts: readonly z.infer<typeof Receipt>[];
  readonly claims: readonly z.infer<typeof ClaimEvidence>[];
  readonly wayBack: WayBack;
  /** Messages left in a queue or its dead-letter queue. */
  readonly left: Readonly<Record<ConsumerName, { readonly queue: number; readonly deadLetterQueue: number }>>;
}

export async function gatherEvidence(stage: Stage, wayBack: WayBack): Promise<Evidence> {
  const { gateway } = stage;
  const left = async (name: ConsumerName) => {
    const { queueUrl, deadLetterQueueUrl } = stage.queues[name];
    return { queue: await count(stage, queueUrl), deadLetterQueue: await count(stage, deadLetterQueueUrl) };
  };
  return {
    ledger: await gateway.ledger(),
    captures: await scanTable(stage.aws.dynamo(), tables.captures, (item) => Capture.parse(item)),
    balances: await scanTable(stage.aws.dynamo(), tables.balances, (item) => Balance.parse(item)),
    payments: await scanTable(stage.aws.dynamo(), tables.payments, (item) => Payment.parse(item)),
    receipts: await scanTable(stage.aws.dynamo(), tables.receipts, (item) => Receipt.parse(item)),
    claims: await scanTable(stage.aws.dynamo(), tables.claims, (item) => ClaimEvidence.parse(item)),
    wayBack,
    left: {
      payments: await left('payments'),
      'payment-events': await left('payment-events'),
      receipts: await left('receipts'),
    },
  };
}

async function count({ aws }: Stage, queueUrl: string): Promise<number> {
  return (await readQueue(aws.sqs(), queueUrl)).messages;
}
