import type { SqsEvent } from '../lib/arrive/record.ts';
import { sqsEvent } from '../lib/local/events-for-tests.ts';

let made = 0;

/** An event nobody has seen before. */
export function freshEvent(records: number, groups = 0): SqsEvent {
  const messages = Array.from({ length: records }, (_, place) => {
    made += 1;
    const messageId = `00000000-0000-4000-8000-${String(process.pid * 10_000_000 + made).padStart(12, '0')}`;
    return {
      messageId,
      body: { orderId: `order-${process.pid}-${made}`, amount: made },
      ...(groups > 0 ? { groupId: `group-${place % groups}` } : {}),
    };
  });
  return sqsEvent(messages, { queue: groups > 0 ? 'bench.fifo' : 'bench' });
}
