import { rowKey } from '../../arrive/row-key.ts';
import type { ClaimEvidence, Evidence } from './evidence.ts';
import type { ChaosOptions } from './options.ts';
import { closedMerchant, type Order, paymentScope } from './order.ts';
import type { Plan } from './plan.ts';

type Divergences = Iterable<string>;

/** Everything in which the built-in consumer's work differs from what was ordered, one sentence each. */
export function paymentDivergences(
  plan: Plan,
  messageIds: readonly string[],
  evidence: Evidence,
  options: Pick<ChaosOptions, 'fifo' | 'broken'>,
): string[] {
  const claimed = options.broken !== 'no-claims';
  const facts = factsOf(evidence);
  const deadLetters = new Set(evidence.deadLetters);
  const found: string[] = [];
  for (const [index, order] of plan.orders.entries()) {
    const isPoison = plan.poison.has(order.orderId);
    const inDeadLetters = deadLetters.has(messageIds[index] ?? '');
    if (isPoison) found.push(...poisonDivergences(order, facts, inDeadLetters));
    else found.push(...orderDivergences(order, facts, claimed, inDeadLetters));
  }
  for (const merchant of merchantsOf(plan)) found.push(...merchantDivergences(merchant, facts, options.fifo));
  return [...found, ...claimDivergences(evidence)];
}

/** What must hold for any handler: nothing is left in the queue or under way. */
export function* claimDivergences({ claims, left }: Pick<Evidence, 'claims' | 'left'>): Divergences {
  if (left > 0) yield `${left} messages are left in the queue`;
  for (const { claim, status, parkSent } of claims) {
    if (status === 'leased' || status === 'released') yield `the claim ${claim} is ${status} in the end`;
    if (status === 'parked' && parkSent !== true) yield `the claim ${claim} is parked and was never sent`;
  }
}

interface Facts extends Pick<Evidence, 'receipts' | 'ledger'> {
  readonly charges: ReadonlyMap<string, readonly { readonly amountCents: number }[]>;
  readonly captures: ReadonlyMap<string, readonly { readonly amountCents: number }[]>;
  readonly balances: ReadonlyMap<string, Evidence['balances'][number]>;
  readonly claims: ReadonlyMap<string, ClaimEvidence>;
}

function factsOf(evidence: Evidence): Facts {
  return {
    ledger: evidence.ledger,
    receipts: evidence.receipts,
    charges: Map.groupBy(evidence.ledger.charges, ({ orderId }) => orderId),
    captures: Map.groupBy(evidence.captures, ({ orderId }) => orderId),
    balances: new Map(evidence.balances.map((balance) => [balance.merchantId, balance])),
    claims: new Map(evidence.claims.map((row) => [row.claim, row])),
  };
}

function claimOf({ orderId }: Order, { claims }: Facts): ClaimEvidence | undefined {
  return claims.get(rowKey(paymentScope, orderId));
}

function* orderDivergences(
  order: Order,
  facts: Facts,
  claimed: boolean,
  inDeadLetters: boolean,
): Divergences {
  const { orderId, amountCents } = order;
  const charges = facts.charges.get(orderId) ?? [];
  const captures = facts.captures.get(orderId) ?? [];
  if (charges.length !== 1) yield `${orderId} was charged ${times(charges.length)}`;
  if (captures.length !== 1) yield `${orderId} has ${captures.length} captures`;
  for (const taken of [...charges, ...captures]) {
    if (taken.amountCents !== amountCents) yield `${orderId} costs ${amountCents}, not ${taken.amountCents}`;
  }
  if (!facts.receipts.copies.has(orderId)) yield `the receipt of ${orderId} was never sent`;
  if (inDeadLetters) yield `${orderId} is in the dead-letter queue`;
  if (!claimed) return;
  if (facts.receipts.strayKeys.has(orderId)) yield `the receipts of ${orderId} came under different keys`;
  const claim = claimOf(order, facts);
  if (claim?.status !== 'completed') yield `${orderId} is ${claim?.status ?? 'not claimed'} in the end`;
  const calls = facts.ledger.callsByOrder[orderId] ?? 0;
  if (calls > (claim?.fence ?? 0)) yield `${orderId} ran ${times(calls)} under ${claim?.fence ?? 0} claims`;
}

function* poisonDivergences(order: Order, facts: Facts, inDeadLetters: boolean): Divergences {
  const { orderId } = order;
  const claim = claimOf(order, facts);
  if (facts.charges.has(orderId)) yield `${orderId} cannot be charged and was`;
  if (claim?.status !== 'parked')
    yield `${orderId} is poison and ${claim?.status ?? 'not claimed'} in the end`;
  if (!inDeadLetters) yield `${orderId} is poison and not in the dead-letter queue`;
}

interface Merchant {
  readonly merchantId: string;
  readonly orders: readonly Order[];
}

function merchantsOf({ orders }: Plan): Merchant[] {
  const byMerchant = Map.groupBy(orders, ({ merchantId }) => merchantId);
  byMerchant.delete(closedMerchant);
  return [...byMerchant].map(([merchantId, own]) => ({ merchantId, orders: own }));
}

/** Sums and lists are added to, so a run that happened twice and hides everywhere else shows here. */
function* merchantDivergences({ merchantId, orders }: Merchant, facts: Facts, fifo: boolean): Divergences {
  const due = orders.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const { balanceCents = 0, orderIds = [] } = facts.balances.get(merchantId) ?? {};
  if (balanceCents !== due) yield `${merchantId} is due ${due} and has ${balanceCents}`;
  const wanted = orders.map(({ orderId }) => orderId);
  const landed = fifo ? orderIds : [...orderIds].sort();
  const inOrder = fifo ? wanted : [...wanted].sort();
  if (landed.join() !== inOrder.join()) {
    yield fifo && orderIds.length === wanted.length
      ? `the orders of ${merchantId} landed out of order: ${orderIds.join(', ')}`
      : `${merchantId} has ${wanted.length} orders and ${orderIds.length} landed`;
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
