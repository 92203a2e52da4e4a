// The handler docs/testing.md only names: it collects a transition.
import { type ClaimStore, consumeOnce, stateMachine } from 'sqs-once';

const lifecycle = stateMachine({ authorized: ['captured'], captured: ['refunded'], refunded: [] });

export function paymentEventHandler(reached: { claims: ClaimStore }) {
  return consumeOnce<{ orderId: string; state: 'authorized' | 'captured' | 'refunded' }>(
    { scope: 'payment-events', ...reached },
    ({ body: { orderId, state } }, attempt) => {
      const payment = { TableName: 'payments', Key: { orderId } };
      attempt.transaction.transition({ ...payment, attribute: 'state', machine: lifecycle, to: state });
    },
  );
}
