// Orders, some of them poison until the handler is fixed. What is done for an order is counted in its row of the
// captures table, in the same transaction as its claim.
import { setTimeout as sleep } from 'node:timers/promises';
import { consumeOnce, PoisonMessageError } from '../../../lib/index.ts';

export interface Order {
  readonly orderId: string;
  /** What the handler does with it until it is fixed. */
  readonly trouble?: 'is poison' | 'throws' | 'kills its worker';
}

const { CAPTURES_TABLE: captures = '', FIXED, MOST_WORK_MILLIS = '30' } = process.env;

export const handler = consumeOnce<Order>(
  {
    scope: 'orders',
    key: ({ body }) => body.orderId,
    // Short, so that what was killed is soon free and what failed soon back.
    leaseSeconds: 3,
    backoff: { minSeconds: 0, maxSeconds: 1, factor: 1 },
  },
  async ({ body }, attempt) => {
    process.send?.({ type: 'sqs-once', started: body.orderId, attempt: attempt.number });
    if (FIXED === undefined) beTrouble(body);
    await sleep(Math.random() * Number(MOST_WORK_MILLIS));
    attempt.transaction.update({
      TableName: captures,
      Key: { orderId: body.orderId },
      UpdateExpression: 'ADD captures :one',
      ExpressionAttributeValues: { ':one': 1 },
    });
  },
);

function beTrouble({ trouble, orderId }: Order): void {
  if (trouble === 'is poison') throw new PoisonMessageError('no such currency');
  if (trouble === 'throws') throw new TypeError(`no such order: ${orderId}`);
  if (trouble === 'kills its worker') process.exit(1);
}
