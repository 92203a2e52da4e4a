import type { Arrival } from '../arrive/message.ts';
import type { Invocation } from '../invocation.ts';

/** Whether SQS will move the message away by itself after this delivery, without a word why. */
export async function isLastDelivery(arrival: Arrival, invocation: Invocation): Promise<boolean> {
  const queue = invocation.queueOf(arrival.record.eventSourceARN);
  const maxReceiveCount = await queue.maxReceiveCount();
  return maxReceiveCount !== undefined && arrival.receives >= maxReceiveCount;
}

/** The same before user code runs: a first delivery, of which most messages have no other, is spared the lookup. */
export async function isLastRedelivery(arrival: Arrival, invocation: Invocation): Promise<boolean> {
  return arrival.receives > 1 && (await isLastDelivery(arrival, invocation));
}
