import type { Attempt } from '../../handle/attempt.ts';
import { type Message, PoisonMessageError } from '../../index.ts';
import { type Order, paymentScope } from './order.ts';

/** The built-in consumer's options: a short lease, so that a process that was stopped for a while has lost it. */
export const paymentOptions = {
  scope: paymentScope,
  parse: (text: string): Order => JSON.parse(text),
  key: ({ body }: { body: Order }) => body.orderId,
  leaseSeconds: 3,
  // A worker's end counts as an attempt, and here workers end all the time.
  maxAttempts: 100,
  backoff: { minSeconds: 1, maxSeconds: 5 },
} as const;

/** Takes the money, writes it down, adds it up, remembers in which order, and wants a receipt sent. */
export async function pay({ body: order }: Message<Order>, attempt: Attempt): Promise<{ chargeId: string }> {
  const { orderId, merchantId, amountCents } = order;
  const chargeId = await charge(order, attempt.effectKey('charge'), attempt.signal);
  attempt.transaction.put({
    TableName: process.env.CAPTURES_TABLE ?? '',
    Item: { captureId: chargeId, orderId, amountCents },
  });
  attempt.transaction.update({
    TableName: process.env.BALANCES_TABLE ?? '',
    Key: { merchantId },
    UpdateExpression:
      'ADD balanceCents :amount SET orderIds = list_append(if_not_exists(orderIds, :none), :one)',
    ExpressionAttributeValues: { ':amount': amountCents, ':none': [], ':one': [orderId] },
  });
  attempt.followUps.send({ queueUrl: process.env.RECEIPTS_QUEUE_URL ?? '', body: { orderId } });
  return { chargeId };
}

/** Asks the gateway for money under a key. */
export async function charge(
  order: Order,
  idempotencyKey: string,
  signal: AbortSignal | null = null,
): Promise<string> {
  const response = await fetch(`${process.env.GATEWAY_URL}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(order),
    signal,
  });
  const answer = (await response.json()) as { id: string; error: string };
  if (response.status === 422) throw new PoisonMessageError(`the gateway refuses: ${answer.error}`);
  if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
  return answer.id;
}
