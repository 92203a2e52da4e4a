// The same through the whole engine: whatever the order, with every message delivered twice, each event is
// applied once or never, its follow-up is sent once, and only what can never apply is parked.
import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { consumeOnce } from '../../lib/index.ts';
import { sqsEvent } from '../../lib/local/events-for-tests.ts';
import { memoryClaims } from '../../lib/store/memory.ts';
import { events, machine, type PaymentEvent, permutations } from '../support/payment-events.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/test-queue';
const deadLetterQueueUrl = `${queueUrl}-dlq`;
const receiptsUrl = `${queueUrl}-receipts`;
const mostAttempts = 5;
const addOne = { UpdateExpression: 'ADD entries :one', ExpressionAttributeValues: { ':one': 1 } };

describe.each(['first', 'with-commit'] as const)("a payment's events, consumed under claim '%s'", (claim) => {
  interface Consumed {
    readonly state: string | undefined;
    readonly amounts: Readonly<Record<string, string>>;
    /** What was sent to the queue of receipts. */
    readonly receipts: readonly string[];
    /** How many messages were parked. */
    readonly parked: number;
  }

  /** Delivers messages until none comes back; each event may be several messages, each message several deliveries. */
  async function consume(deliveries: readonly PaymentEvent[], repeats: number): Promise<Consumed> {
    const claims = memoryClaims();
    const receipts: string[] = [];
    let parked = 0;
    const sqs = {
      async send(command: unknown) {
        if (command instanceof SendMessageBatchCommand) {
          const entries = command.input.Entries ?? [];
          receipts.push(...entries.map(({ MessageBody = '' }) => MessageBody));
          return { Successful: entries.map(({ Id }) => ({ Id })) };
        }
        if (command instanceof SendMessageCommand) parked += 1;
        return { MessageId: 'taken' };
      },
    } as unknown as SQSClient;
    const consumer = consumeOnce(
      {
        scope: 'payment-events',
        claims,
        sqs,
        claim,
        queueUrl,
        deadLetterQueueUrl,
        maxAttempts: mostAttempts,
        partialResponses: true,
      },
      async ({ body }, { transaction, followUps }) => {
        const to = body as PaymentEvent;
        transaction.transition({
          TableName: 'payments',
          Key: { id: 'p-1' },
          attribute: 'state',
          machine,
          to,
        });
        transaction.update({ TableName: 'ledger', Key: { id: to }, ...addOne });
        if (to === 'captured') followUps.send({ queueUrl: receiptsUrl, body: to });
      },
    );
    let round = deliveries.map((event, place) => ({
      body: JSON.stringify(event),
      messageId: `m${place}`,
      receives: 1,
    }));
    for (let rounds = 0; round.length > 0; rounds += 1) {
      expect(rounds).toBeLessThan(20);
      const again: typeof round = [];
      for (const message of round) {
        const { batchItemFailures } = await consumer(sqsEvent([message]));
        const isRepeated = message.receives <= repeats;
        if (batchItemFailures.length > 0 || isRepeated)
          again.push({ ...message, receives: message.receives + 1 });
      }
      round = again;
    }
    const amounts = claims.items('ledger').map(({ id, entries }) => [id?.S, entries?.N]);
    return {
      state: claims.items('payments')[0]?.state?.S,
      amounts: Object.fromEntries(amounts),
      receipts,
      parked,
    };
  }

  test('in each of their orders, every message delivered twice, are applied once and never parked', async () => {
    for (const order of permutations(events)) {
      const { state, amounts, receipts, parked } = await consume(order, 1);
      const captured = state === 'refunded';
      expect(['refunded', 'voided'], order.join()).toContain(state);
      expect(amounts).toEqual(
        captured ? { authorised: '1', captured: '1', refunded: '1' } : { authorised: '1', voided: '1' },
      );
      expect(receipts).toEqual(captured ? ['captured'] : []);
      expect(parked).toBe(0);
    }
  });

  test('without the first one are parked in the end, and nothing of them is applied', async () => {
    expect(await consume(['captured', 'refunded'], 0)).toEqual({
      state: undefined,
      amounts: {},
      receipts: [],
      parked: 2,
    });
  });
});
