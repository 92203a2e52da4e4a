import { drawBelow } from '../../../lib/local/draw.ts';

/** The consumers, in the order of the chain: an order becomes two parcels, and each parcel gets a label. */
export const hops = ['orders', 'parcels', 'labels'] as const;
export type Hop = (typeof hops)[number];

/** Messages a hop gets for one order. */
export const messagesPerOrder: Readonly<Record<Hop, number>> = { orders: 1, parcels: 2, labels: 2 };

export interface Order {
  readonly orderId: string;
  readonly merchantId: string;
  readonly amountCents: number;
}

export interface Parcel {
  readonly parcelId: string;
}

/** The two follow-ups of an order. */
export function parcelsOf(orderId: string): readonly Parcel[] {
  return [{ parcelId: `${orderId}/left` }, { parcelId: `${orderId}/right` }];
}

/** So many orders write to one counter that they meet there. */
const merchants = 20;

export function drawOrders(messages: number, seed: number): readonly Order[] {
  return Array.from({ length: messages }, (_, index) => {
    const orderId = `order-${index + 1}`;
    return {
      orderId,
      merchantId: `merchant-${1 + drawBelow(seed, 'merchant', orderId, merchants)}`,
      amountCents: 100 + drawBelow(seed, 'amount', orderId, 20_000),
    };
  });
}
