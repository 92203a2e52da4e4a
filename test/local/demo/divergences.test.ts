// Whatever goes wrong is seen: each way in which the books can differ from the orders is planted in books that
// agree, and found.
import { describe, expect, test } from 'vitest';
import { divergences } from '../../../lib/local/demo/divergences.ts';
import type { Evidence } from '../../../lib/local/demo/evidence.ts';
import { drawPlan, type Plan, settleDemoOptions } from '../../../lib/local/demo/plan.ts';

const plan = drawPlan(settleDemoOptions({ messages: 20, kills: 1, poison: 2, seed: 5 }));
const [order] = plan.orders.filter(({ orderId }) => !plan.refunded.has(orderId)) as [Plan['orders'][number]];
const [refundedId] = [...plan.refunded] as [string];

/** What everybody's books say when all went well. */
function agreeing(): Evidence {
  const merchantIds = [...new Set(plan.orders.map(({ merchantId }) => merchantId))];
  const kept = plan.orders.filter(({ orderId }) => !plan.refunded.has(orderId));
  return {
    ledger: {
      charges: plan.orders.map((one) => ({ ...one, id: `ch-${one.orderId}` })),
      callsByOrder: Object.fromEntries(plan.orders.map(({ orderId }) => [orderId, 1])),
    },
    captures: plan.orders.map(({ orderId, amountCents }) => ({
      captureId: `ch-${orderId}`,
      orderId,
      amountCents,
    })),
    balances: merchantIds.map((merchantId) => ({
      merchantId,
      balanceCents: kept
        .filter((one) => one.merchantId === merchantId)
        .reduce((sum, one) => sum + one.amountCents, 0),
    })),
    payments: plan.orders.map(({ orderId }) => ({
      orderId,
      state: plan.refunded.has(orderId) ? 'refunded' : 'captured',
    })),
    receipts: plan.orders.map(({ orderId }) => ({ orderId, copies: 1 })),
    claims: [
      ...plan.orders.map(({ orderId }) => ({
        claim: `capture-payment#${orderId}`,
        status: 'completed',
        fence: 1,
      })),
      ...[...plan.voidedLate].map((orderId) => ({
        claim: `payment-events#${orderId}`,
        status: 'rejected',
        fence: 1,
      })),
    ],
    wayBack: { parked: 2, redriven: 2 },
    left: {
      payments: { queue: 0, deadLetterQueue: 0 },
      'payment-events': { queue: 0, deadLetterQueue: 0 },
      receipts: { queue: 0, deadLetterQueue: 0 },
    },
  };
}

type Planted = (books: Evidence) => Partial<Evidence>;
const without = <Row extends { orderId: string }>(rows: readonly Row[], orderId: string) =>
  rows.filter((row) => row.orderId !== orderId);
const changed = <Row extends object>(rows: readonly Row[], at: (row: Row) => boolean, change: Partial<Row>) =>
  rows.map((row) => (at(row) ? { ...row, ...change } : row));
const itsOrder = (row: { orderId: string }) => row.orderId === order.orderId;

const plantings: [string, Planted, string][] = [
  [
    'a second charge',
    ({ ledger }) => ({ ledger: { ...ledger, charges: [...ledger.charges, { ...order, id: 'ch-more' }] } }),
    `${order.orderId} was charged 2 times`,
  ],
  [
    'a charge that is missing',
    ({ ledger }) => ({ ledger: { ...ledger, charges: without(ledger.charges, order.orderId) } }),
    `${order.orderId} was charged 0 times`,
  ],
  [
    'a charge of another amount',
    ({ ledger }) => ({
      ledger: { ...ledger, charges: changed(ledger.charges, itsOrder, { amountCents: 1 }) },
    }),
    `${order.orderId} costs ${order.amountCents} and 1 was taken`,
  ],
  [
    'a capture that is missing',
    ({ captures }) => ({ captures: without(captures, order.orderId) }),
    `${order.orderId} has 0 captures`,
  ],
  [
    'a second capture',
    ({ captures }) => ({ captures: [...captures, { ...order, captureId: 'more' }] }),
    `${order.orderId} has 2 captures`,
  ],
  [
    'a balance that was added to twice',
    ({ balances }) => ({
      balances: changed(balances, (row) => row.merchantId === order.merchantId, { balanceCents: 1 }),
    }),
    `${order.merchantId} is due `,
  ],
  [
    'a refund that became a capture',
    ({ payments }) => ({
      payments: changed(payments, (row) => row.orderId === refundedId, { state: 'captured' }),
    }),
    `the payment of ${refundedId} is captured, not refunded`,
  ],
  [
    'a receipt that was sent twice',
    ({ receipts }) => ({ receipts: changed(receipts, itsOrder, { copies: 2 }) }),
    `the receipt of ${order.orderId} was sent 2 times`,
  ],
  [
    'a receipt that is missing',
    ({ receipts }) => ({ receipts: without(receipts, order.orderId) }),
    `the receipt of ${order.orderId} was sent 0 times`,
  ],
  [
    'a run without a claim',
    ({ ledger }) => ({
      ledger: { ...ledger, callsByOrder: { ...ledger.callsByOrder, [order.orderId]: 2 } },
    }),
    `${order.orderId} ran 2 times under 1 claims`,
  ],
  [
    'a claim that is held in the end',
    ({ claims }) => ({ claims: [...claims, { claim: 'send-receipt#x', status: 'leased', fence: 1 }] }),
    'the claim send-receipt#x is leased in the end',
  ],
  [
    'an event out of order that was applied',
    ({ claims }) => ({
      claims: changed(claims, ({ status }) => status === 'rejected', { status: 'completed' }),
    }),
    '2 events were out of order and 0 rejected',
  ],
  [
    'poison that was not parked',
    () => ({ wayBack: { parked: 1, redriven: 1 } }),
    '2 orders were poison and 1 were parked',
  ],
  [
    'a parked message that did not come back',
    () => ({ wayBack: { parked: 2, redriven: 1 } }),
    '2 messages were parked and 1 redriven',
  ],
  [
    'a message that is left in a queue',
    ({ left }) => ({ left: { ...left, receipts: { queue: 1, deadLetterQueue: 0 } } }),
    '1 messages are left in receipts',
  ],
  [
    'a message that is left in a dead-letter queue',
    ({ left }) => ({ left: { ...left, payments: { queue: 0, deadLetterQueue: 3 } } }),
    '3 messages are left in the dead-letter queue of payments',
  ],
];

describe('with claims', () => {
  test('books that agree have no divergence', () => {
    expect(divergences(plan, agreeing(), true)).toEqual([]);
  });

  test.each(plantings)('%s is found, and nothing else', (_, plant, sentence) => {
    const books = agreeing();
    const found = divergences(plan, { ...books, ...plant(books) }, true);
    expect(found).toEqual([expect.stringContaining(sentence)]);
  });
});

test('without claims the payments alone are judged, and refunds are not expected', () => {
  const books = agreeing();
  const balances = [...Map.groupBy(plan.orders, ({ merchantId }) => merchantId)].map(
    ([merchantId, orders]) => ({
      merchantId,
      balanceCents: orders.reduce((sum, { amountCents }) => sum + amountCents, 0),
    }),
  );
  const naive = { ...books, balances, payments: [], receipts: [], claims: [] };
  expect(divergences(plan, naive, false)).toEqual([]);
  const twice = [...books.captures, { ...order, captureId: 'fresh' }];
  expect(divergences(plan, { ...naive, captures: twice }, false)).toEqual([
    `${order.orderId} has 2 captures`,
  ]);
});
