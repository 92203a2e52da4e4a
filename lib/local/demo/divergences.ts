import { rowKey } from '../../arrive/row-key.ts';
import type { Evidence } from './evidence.ts';
import type { Order, Plan } from './plan.ts';
import { consumers } from './stage.ts';

/**
 * Everything in which what happened differs from what was ordered, one sentence each. With claims the whole
 * chain is judged; without, the payments alone.
 */
export function divergences(plan: Plan, evidence: Evidence, withClaims: boolean): string[] {
  const found = [
    ...plan.orders.flatMap((order) => moneyDivergences(order, evidence)),
    ...balanceDivergences(plan, evidence, withClaims),
    ...queueDivergences(evidence),
  ];
  if (!withClaims) return found;
  return [
    ...found,
    ...plan.orders.flatMap((order) => chainDivergences(order, plan, evidence)),
    ...claimDivergences(plan, evidence),
    ...wayBackDivergences(plan, evidence),
  ];
}

function moneyDivergences({ orderId, amountCents }: Order, { ledger, captures }: Evidence): string[] {
  const charges = ledger.charges.filter((charge) => charge.orderId === orderId);
  const rows = captures.filter((capture) => capture.orderId === orderId);
  return [
    ...unless(charges.length === 1, `${orderId} was charged ${times(charges.length)}`),
    ...unless(rows.length === 1, `${orderId} has ${rows.length} captures`),
    ...[...charges, ...rows]
      .filter((amount) => amount.amountCents !== amountCents)
      .map((amount) => `${orderId} costs ${amountCents} and ${amount.amountCents} was taken`),
  ];
}

/** A balance is added to, so a run that happened twice and hides everywhere else shows here. */
function balanceDivergences({ orders, refunded }: Plan, { balances }: Evidence, refunds: boolean): string[] {
  const merchantIds = new Set([...orders, ...balances].map(({ merchantId }) => merchantId));
  return [...merchantIds].flatMap((merchantId) => {
    const due = orders
      .filter((order) => order.merchantId === merchantId && !(refunds && refunded.has(order.orderId)))
      .reduce((sum, { amountCents }) => sum + amountCents, 0);
    const paid = balances.find((balance) => balance.merchantId === merchantId)?.balanceCents ?? 0;
    return unless(paid === due, `${merchantId} is due ${due} and has ${paid}`);
  });
}

function queueDivergences({ left }: Evidence): string[] {
  return consumers.flatMap((name) => [
    ...unless(left[name].queue === 0, `${left[name].queue} messages are left in ${name}`),
    ...unless(
      left[name].deadLetterQueue === 0,
      `${left[name].deadLetterQueue} messages are left in the dead-letter queue of ${name}`,
    ),
  ]);
}

function chainDivergences({ orderId }: Order, { refunded }: Plan, evidence: Evidence): string[] {
  const state = evidence.payments.find((payment) => payment.orderId === orderId)?.state;
  const wanted = refunded.has(orderId) ? 'refunded' : 'captured';
  const copies = evidence.receipts.find((receipt) => receipt.orderId === orderId)?.copies ?? 0;
  const calls = evidence.ledger.callsByOrder[orderId] ?? 0;
  const claim = rowKey('capture-payment', orderId);
  const fence = evidence.claims.find((row) => row.claim === claim)?.fence ?? 0;
  return [
    ...unless(state === wanted, `the payment of ${orderId} is ${state}, not ${wanted}`),
    ...unless(copies === 1, `the receipt of ${orderId} was sent ${times(copies)}`),
    ...unless(calls <= fence, `${orderId} ran ${times(calls)} under ${fence} claims`),
  ];
}

function claimDivergences({ voidedLate }: Plan, { claims }: Evidence): string[] {
  const rejected = claims.filter(({ status }) => status === 'rejected').length;
  return [
    ...claims
      .filter(({ status }) => status !== 'completed' && status !== 'rejected')
      .map(({ claim, status }) => `the claim ${claim} is ${status} in the end`),
    ...unless(
      rejected === voidedLate.size,
      `${voidedLate.size} events were out of order and ${rejected} rejected`,
    ),
  ];
}

function wayBackDivergences({ poison }: Plan, { wayBack }: Evidence): string[] {
  const { parked, redriven } = wayBack;
  return [
    ...unless(parked === poison.size, `${poison.size} orders were poison and ${parked} were parked`),
    ...unless(redriven === parked, `${parked} messages were parked and ${redriven} redriven`),
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function unless(holds: boolean, divergence: string): string[] {
  return holds ? [] : [divergence];
}
