import type { Order, Plan } from './plan.ts';

/** Tells of refunds at the moment of the charge: before the payment is captured, so the event is early. */
export interface Refunds {
  charged(orderId: string): void;
  /** Tells of what is left; resolves when all of it is in the queue. */
  tellRest(): Promise<void>;
}

export function createRefunds(
  { orders, refunded }: Plan,
  tell: (orders: readonly Order[]) => Promise<void>,
): Refunds {
  const owed = new Map(
    orders.filter(({ orderId }) => refunded.has(orderId)).map((one) => [one.orderId, one]),
  );
  const telling: Promise<void>[] = [];

  function tellOf(orders: readonly Order[]): void {
    for (const { orderId } of orders) owed.delete(orderId);
    const told = tell(orders);
    // Its failure is heard where all are awaited.
    told.catch(() => {});
    telling.push(told);
  }

  return {
    charged(orderId) {
      const order = owed.get(orderId);
      if (order !== undefined) tellOf([order]);
    },
    async tellRest() {
      tellOf([...owed.values()]);
      await Promise.all(telling);
    },
  };
}
