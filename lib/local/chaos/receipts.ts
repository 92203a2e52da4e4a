import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { onceAttributeOf } from '../../arrive/once-attribute.ts';
import { acknowledge, readQueue } from '../queue.ts';
import { toRecord } from '../record.ts';

/** Takes the follow-ups out of their queue and counts them. */
export interface Receipts {
  /** How often each order's follow-up came. */
  readonly copies: ReadonlyMap<string, number>;
  /** Orders whose copies came under more than one key. */
  readonly strayKeys: ReadonlySet<string>;
  /** Resolves when no more are there and none is coming. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

const waitSeconds = 1;

export function collectReceipts(
  sqs: SQSClient,
  queueUrl: string,
  keyOf: (orderId: string) => string,
): Receipts {
  const copies = new Map<string, number>();
  const strayKeys = new Set<string>();
  let stopped = false;

  async function collect(): Promise<void> {
    while (!stopped) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: waitSeconds,
          MessageAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) continue;
      const records = Messages.map((message) => toRecord(message, ''));
      for (const record of records) {
        const { orderId } = JSON.parse(record.body) as { orderId: string };
        copies.set(orderId, (copies.get(orderId) ?? 0) + 1);
        if (onceAttributeOf(record)?.followUp !== keyOf(orderId)) strayKeys.add(orderId);
      }
      await acknowledge(
        sqs,
        queueUrl,
        records.map((record) => ({ record, duplicated: false })),
      );
    }
  }

  const collecting = collect();
  // Heard by whoever awaits it.
  collecting.catch(() => {});
  return {
    copies,
    strayKeys,
    async drained() {
      const empty = async () => {
        while ((await readQueue(sqs, queueUrl)).messages > 0)
          await new Promise((next) => setTimeout(next, 50));
      };
      await Promise.race([empty(), collecting]);
    },
    async stop() {
      stopped = true;
      await collecting;
    },
  };
}
