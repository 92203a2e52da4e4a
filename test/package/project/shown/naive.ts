// The README's handler without its guard, on the same deliveries: what it would do without us.
import { gateway, Order } from './world.ts';

export const handler = async ({ Records }: { Records: readonly { body: string }[] }) => {
  for (const { body } of Records) {
    await gateway.capture(Order.parse(JSON.parse(body)), { idempotencyKey: 'none' });
  }
};
