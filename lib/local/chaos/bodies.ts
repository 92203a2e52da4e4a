import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { findFunction } from './check.ts';
import type { ChaosOptions } from './options.ts';
import type { Plan } from './plan.ts';

/** The messages' bodies, by number. */
export async function bodiesOf(options: ChaosOptions, { orders }: Plan): Promise<readonly unknown[]> {
  if (options.body === undefined) return orders;
  const bodyOf = await findFunction<(number: number) => unknown>(options.body);
  return orders.map((_, index) => bodyOf(index + 1));
}

/** What is sent to the queue. In a FIFO queue the orders of a merchant are a group. */
export function entriesOf(
  bodies: readonly unknown[],
  { orders }: Plan,
  fifo: boolean,
): Omit<SendMessageBatchRequestEntry, 'Id'>[] {
  return bodies.map((body, index) => ({
    MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
    // Two messages of the same body are meant twice, which a FIFO queue would take for one.
    ...(fifo
      ? { MessageGroupId: orders[index]?.merchantId ?? '', MessageDeduplicationId: String(index) }
      : {}),
  }));
}
