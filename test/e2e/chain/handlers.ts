// The three consumers of the chain. Whatever lands twice shows: an item put twice has two ids, the others count.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { consumeOnce } from '../../../lib/index.ts';
import { type Order, type Parcel, parcelsOf } from './orders.ts';

const {
  ORDERS_TABLE: orderTable = '',
  BOOKINGS_TABLE: bookings = '',
  BALANCES_TABLE: balances = '',
  LABELS_TABLE: labelTable = '',
  PARCELS_QUEUE_URL: parcelQueue = '',
  LABELS_QUEUE_URL: labelQueue = '',
} = process.env;

/** Short, so that what was killed is soon free and what failed soon back. */
const soonBack = { leaseSeconds: 3, backoff: { minSeconds: 0, maxSeconds: 1, factor: 1 } };

const mostWorkMillis = 30;
const work = () => sleep(Math.random() * mostWorkMillis);

export const orders = consumeOnce<Order>(
  { scope: 'orders', key: ({ body }) => body.orderId, ...soonBack },
  async ({ body: { orderId, merchantId, amountCents } }, { transaction, followUps }) => {
    await work();
    transaction.put({ TableName: bookings, Item: { bookingId: randomUUID(), orderId } });
    transaction.update(addOne(orderTable, { orderId }));
    transaction.update({
      TableName: balances,
      Key: { merchantId },
      UpdateExpression: 'ADD balanceCents :amount',
      ExpressionAttributeValues: { ':amount': amountCents },
    });
    for (const body of parcelsOf(orderId)) followUps.send({ queueUrl: parcelQueue, body });
  },
);

/** No key is given here and below: a follow-up brings its own. */
export const parcels = consumeOnce<Parcel>(
  { scope: 'parcels', ...soonBack },
  async ({ body }, { followUps }) => {
    await work();
    followUps.send({ queueUrl: labelQueue, body });
  },
);

export const labels = consumeOnce<Parcel>(
  { scope: 'labels', ...soonBack },
  async ({ body: { parcelId } }, { transaction }) => {
    await work();
    transaction.update(addOne(labelTable, { parcelId }));
  },
);

function addOne(TableName: string, Key: Readonly<Record<string, string>>) {
  return {
    TableName,
    Key,
    UpdateExpression: 'ADD copies :one',
    ExpressionAttributeValues: { ':one': 1 },
  };
}
