// A chain of three consumers on real workers, in small; `npm run chain` shows the figures at full size.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { type Books, booksDue, divergences } from './chain/books.ts';
import { runChain } from './chain/chain.ts';
import { drawOrders } from './chain/orders.ts';

describe('the books of a chain', () => {
  const due = booksDue(drawOrders(2, 1));
  const altered = (book: string, name: string, number: number): Books =>
    new Map([...due, [book, new Map([...(due.get(book) ?? []), [name, number]])]]);

  test('agree when everything happened once', () => {
    expect(divergences(due, booksDue(drawOrders(2, 1)))).toEqual([]);
  });

  test.each([
    ['bookings', 'order-1', 2, 'bookings of order-1: 2 instead of 1'],
    ['copies', 'order-2', 0, 'copies of order-2: 0 instead of 1'],
    ['cents', 'merchant-0', 5, 'cents of merchant-0: 5 instead of 0'],
    ['labels', 'order-2/right', 2, 'labels of order-2/right: 2 instead of 1'],
    ['labels', 'order-3/left', 1, 'labels of order-3/left: 1 instead of 0'],
    ['claims', 'parcels, completed', 3, 'claims of parcels, completed: 3 instead of 4'],
    ['claims', 'labels, parked', 1, 'claims of labels, parked: 1 instead of 0'],
    ['follow-ups owed', 'orders#order-1', 2, 'follow-ups owed of orders#order-1: 2 instead of 0'],
    ['messages left', 'parcels-dlq', 1, 'messages left of parcels-dlq: 1 instead of 0'],
  ])('tell of what is missing or too much: %s of %s', (book, name, number, sentence) => {
    expect(divergences(due, altered(book, name, number))).toEqual([sentence]);
  });
});

describe.concurrent('every effect of a chain lands once, though workers are killed at every hop', {
  timeout: 120_000,
}, () => {
  let aws: LocalAws;
  beforeAll(async () => {
    aws = await startLocalAws();
  }, 60_000);
  afterAll(() => aws?.stop());

  test.each(['first', 'with-commit'] as const)("with claim '%s'", async (claim) => {
    const { hops, divergences } = await runChain(aws, {
      claim,
      messages: 60,
      kills: 3,
      workers: 1,
      // Ends an order's worker when follow-ups are out and not marked, a parcel's when the outcome landed and they
      // are not out, and a label's in the middle of an invocation: one aimed at its very end may come too late.
      seed: 5054,
      withinMillis: 100_000,
    });
    expect(divergences).toEqual([]);
    const killed = [...hops].map(([hop, { kills, crashes }]) => [hop, kills + crashes]);
    expect(killed).toEqual([
      ['orders', 1],
      ['parcels', 1],
      ['labels', 1],
    ]);
  });
});
