// The consumer the examples of docs/testing.md are about: everything it reaches is handed in.
import { type ClaimStore, consumeOnce, stateMachine } from '../../lib/index.ts';
import type { MemorySqs } from '../../lib/testing.ts';

export interface Order {
  readonly orderId: string;
  readonly state?: 'authorized' | 'captured' | 'refunded';
}

interface Surroundings {
  readonly claims?: ClaimStore;
  readonly sqs?: MemorySqs;
  readonly charge?: (orderId: string) => unknown;
}

export function paymentHandler({ charge, ...reached }: Surroundings) {
  return consumeOnce<Order>(
    { scope: 'payments', key: ({ body }) => body.orderId, ...reached, partialResponses: true },
    ({ body }) => charge?.(body.orderId),
  );
}

const lifecycle = stateMachine({ authorized: ['captured'], captured: ['refunded'], refunded: [] });

export function paymentEventHandler(reached: Surroundings) {
  return consumeOnce<Required<Order>>(
    { scope: 'payment-events', ...reached, partialResponses: true },
    ({ body: { orderId, state } }, attempt) => {
      attempt.transaction.transition({
        TableName: 'payments',
        Key: { orderId },
        attribute: 'state',
        machine: lifecycle,
        to: state,
      });
    },
  );
}
