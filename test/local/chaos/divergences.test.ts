// Whatever differs from what was ordered is found, and nothing is found where nothing differs.
import { describe, expect, test } from 'vitest';
import { rowKey } from '../../../lib/arrive/row-key.ts';
import { paymentDivergences } from '../../../lib/local/chaos/divergences.ts';
import type { Evidence } from '../../../lib/local/chaos/evidence.ts';
import { closedMerchant, paymentScope } from '../../../lib/local/chaos/order.ts';
import type { Plan } from '../../../lib/local/chaos/plan.ts';

const plan: Plan = {
  orders: [
    { orderId: 'order-1', merchantId: 'm', amountCents: 100 },
    { orderId: 'order-2', merchantId: 'm', amountCents: 200 },
    { orderId: 'order-3', merchantId: closedMerchant, amountCents: 300 },
  ],
  poison: new Set(['order-3']),
  mischief: [],
};
const messageIds = ['id-1', 'id-2', 'id-3'];

const charge = (orderId: string, amountCents: number) => ({
  id: `ch-${orderId}`,
  orderId,
  merchantId: 'm',
  amountCents,
});
const claim = (orderId: string, status: string) => ({
  claim: rowKey(paymentScope, orderId),
  status,
  fence: 1,
  attempts: 1,
  ...(status === 'parked' ? { parkSent: true } : {}),
});

const sound: Evidence = {
  ledger: {
    charges: [charge('order-1', 100), charge('order-2', 200)],
    callsByOrder: { 'order-1': 1, 'order-2': 1, 'order-3': 1 },
  },
  captures: [
    { captureId: 'ch-order-1', orderId: 'order-1', amountCents: 100 },
    { captureId: 'ch-order-2', orderId: 'order-2', amountCents: 200 },
  ],
  balances: [{ merchantId: 'm', balanceCents: 300, orderIds: ['order-2', 'order-1'] }],
  claims: [claim('order-1', 'completed'), claim('order-2', 'completed'), claim('order-3', 'parked')],
  receipts: {
    copies: new Map([
      ['order-1', 1],
      ['order-2', 2],
    ]),
    strayKeys: new Set(),
  },
  deadLetters: ['id-3', 'id-3'],
  left: 0,
};

const found = (change: Partial<Evidence>, options = { fifo: false }) =>
  paymentDivergences(plan, messageIds, { ...sound, ...change }, options);

test('a sound run has none, though follow-ups and parked messages were sent twice', () => {
  expect(found({})).toEqual([]);
});

describe('found is', () => {
  test.each<[string, Partial<Evidence>, string]>([
    [
      'money that was never taken',
      { ledger: { ...sound.ledger, charges: [charge('order-1', 100)] } },
      'order-2 was charged 0 times',
    ],
    [
      'money that was taken twice',
      { ledger: { ...sound.ledger, charges: [...sound.ledger.charges, charge('order-1', 100)] } },
      'order-1 was charged 2 times',
    ],
    [
      'another amount',
      { captures: [{ captureId: 'c', orderId: 'order-1', amountCents: 1 }, ...sound.captures.slice(1)] },
      'order-1 costs 100, not 1',
    ],
    ['a capture that is missing', { captures: sound.captures.slice(1) }, 'order-1 has 0 captures'],
    [
      'a sum that was added to twice',
      { balances: [{ merchantId: 'm', balanceCents: 400, orderIds: ['order-1', 'order-2', 'order-1'] }] },
      'm is due 300 and has 400',
    ],
    [
      'a receipt that was never sent',
      { receipts: { copies: new Map([['order-1', 1]]), strayKeys: new Set() } },
      'the receipt of order-2 was never sent',
    ],
    [
      'a receipt under another key',
      { receipts: { ...sound.receipts, strayKeys: new Set(['order-1']) } },
      'the receipts of order-1 came under different keys',
    ],
    ['an order that was parked', { deadLetters: ['id-1', 'id-3'] }, 'order-1 is in the dead-letter queue'],
    ['poison that vanished', { deadLetters: [] }, 'order-3 is poison and not in the dead-letter queue'],
    [
      'poison that was charged',
      { ledger: { ...sound.ledger, charges: [...sound.ledger.charges, charge('order-3', 300)] } },
      'order-3 cannot be charged and was',
    ],
    [
      'a claim that is still held',
      { claims: [claim('order-1', 'leased'), ...sound.claims.slice(1)] },
      `the claim ${rowKey(paymentScope, 'order-1')} is leased in the end`,
    ],
    [
      'a run without a claim',
      { ledger: { ...sound.ledger, callsByOrder: { 'order-1': 2 } } },
      'order-1 ran 2 times under 1 claims',
    ],
    ['a message that is left', { left: 1 }, '1 messages are left in the queue'],
  ])('%s', (_, change, sentence) => {
    expect(found(change)).toContain(sentence);
  });

  test('a FIFO group out of order, which a standard queue may be', () => {
    expect(found({}, { fifo: true })).toEqual(['the orders of m landed out of order: order-2, order-1']);
  });
});
