import { z } from 'zod';
import { rowKey } from '../../../lib/arrive/row-key.ts';
import { readQueue } from '../../../lib/local/queue.ts';
import { scanTable } from '../../../lib/local/scan-table.ts';
import { hops, messagesPerOrder, type Order, parcelsOf } from './orders.ts';
import { queueOf, type Stage, type TableName } from './stage.ts';

/** What is there, each book with a number for every name in it. */
export type Books = ReadonlyMap<string, ReadonlyMap<string, number>>;

type Entry = readonly [name: string, number: number];

const Copies = z
  .object({ orderId: z.string(), copies: z.number() })
  .transform(({ orderId, copies }): Entry => [orderId, copies]);
const Booking = z.object({ orderId: z.string() }).transform(({ orderId }): Entry => [orderId, 1]);
const Balance = z
  .object({ merchantId: z.string(), balanceCents: z.number() })
  .transform(({ merchantId, balanceCents }): Entry => [merchantId, balanceCents]);
const Label = z
  .object({ parcelId: z.string(), copies: z.number() })
  .transform(({ parcelId, copies }): Entry => [parcelId, copies]);
const Claim = z.object({ claim: z.string(), status: z.string(), followUps: z.array(z.string()).optional() });

/** Reads the books where no handler has a hand in them: in the tables and the queues. */
export async function readBooks({ aws, queues, tableOf }: Stage): Promise<Books> {
  const read = <Row>(name: TableName, schema: z.ZodType<Row>) =>
    scanTable(aws.dynamo(), tableOf(name), (item) => schema.parse(item));
  const claims = await read('claims', Claim);
  const left = new Map<string, number>();
  for (const hop of hops) {
    const { queueUrl, deadLetterQueueUrl } = queueOf(queues, hop);
    left.set(hop, (await readQueue(aws.sqs(), queueUrl)).messages);
    left.set(`${hop}-dlq`, (await readQueue(aws.sqs(), deadLetterQueueUrl)).messages);
  }
  return new Map<string, ReadonlyMap<string, number>>([
    ['bookings', sums(await read('bookings', Booking))],
    ['copies', sums(await read('orders', Copies))],
    ['cents', sums(await read('balances', Balance))],
    ['labels', sums(await read('labels', Label))],
    ['claims', sums(claims.map(({ claim, status }) => [`${scopeOf(claim)}, ${status}`, 1]))],
    ['follow-ups owed', sums(claims.map(({ claim, followUps = [] }) => [claim, followUps.length]))],
    ['messages left', left],
  ]);
}

/** How the books look when everything happened once. What is not named is nothing. */
export function booksDue(orders: readonly Order[]): Books {
  const parcels = orders.flatMap(({ orderId }) => parcelsOf(orderId));
  return new Map<string, ReadonlyMap<string, number>>([
    ['bookings', sums(orders.map(({ orderId }) => [orderId, 1]))],
    ['copies', sums(orders.map(({ orderId }) => [orderId, 1]))],
    ['cents', sums(orders.map(({ merchantId, amountCents }) => [merchantId, amountCents]))],
    ['labels', sums(parcels.map(({ parcelId }) => [parcelId, 1]))],
    ['claims', sums(hops.map((hop) => [`${hop}, completed`, orders.length * messagesPerOrder[hop]]))],
    ['follow-ups owed', new Map()],
    ['messages left', new Map()],
  ]);
}

/** Everything in which the books differ from what is due, one sentence each. */
export function divergences(due: Books, found: Books): string[] {
  return [...due].flatMap(([book, numbers]) => {
    const present = found.get(book) ?? new Map<string, number>();
    return [...new Set([...numbers.keys(), ...present.keys()])]
      .map((name) => ({ name, wanted: numbers.get(name) ?? 0, got: present.get(name) ?? 0 }))
      .filter(({ wanted, got }) => wanted !== got)
      .map(({ name, wanted, got }) => `${book} of ${name}: ${got} instead of ${wanted}`);
  });
}

function sums(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const total = new Map<string, number>();
  for (const [name, number] of entries) total.set(name, (total.get(name) ?? 0) + number);
  return total;
}

function scopeOf(claim: string): string {
  return hops.find((hop) => claim.startsWith(rowKey(hop, ''))) ?? claim;
}
