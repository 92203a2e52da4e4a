import { consumeOnce } from '../../lib/index.ts';
import { type Order, receiptWork } from '../sides/side.ts';

/** The function behind the queue of the measure `scale`. */
export const handler = consumeOnce<Order>({ scope: 'scale', key: ({ body }) => body.orderId }, ({ body }) =>
  receiptWork(body),
);
