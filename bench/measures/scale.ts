import { fileURLToPath } from 'node:url';
import { startLocalAws } from '../../lib/local/local-aws.ts';
import { sendAll } from '../../lib/local/queue.ts';
import { startRunner } from '../../lib/local/runner.ts';
import type { Measure, Row } from '../measure.ts';

const sizes = [1_000, 10_000, 100_000];
const sendAtATime = 10_000;
const handler = `${fileURLToPath(new URL('../processes/receipts', import.meta.url))}.handler`;

/** From a thousand messages to a hundred thousand through a queue and worker processes: the cost of each. */
export const scale: Measure = {
  name: 'scale',
  async run() {
    const micros: [number, number][] = [];
    for (const messages of sizes) micros.push([messages, await microsPerMessage(messages)]);
    return [rowFrom(micros)];
  },
};

async function microsPerMessage(messages: number): Promise<number> {
  const aws = await startLocalAws();
  try {
    const claimTable = await aws.createClaimTable();
    const { queueUrl } = await aws.createQueuePair({ name: 'scale', visibilityTimeoutSeconds: 60 });
    for (let sent = 0; sent < messages; sent += sendAtATime) {
      const entries = Array.from({ length: Math.min(sendAtATime, messages - sent) }, (_, place) => ({
        MessageBody: JSON.stringify({ orderId: `order-${sent + place}`, amount: place }),
      }));
      await sendAll(aws.sqs(), queueUrl, entries);
    }
    const env = {
      SQS_ONCE_TABLE: claimTable,
      SQS_ONCE_QUEUE_URL: queueUrl,
      SQS_ONCE_PARTIAL_RESPONSES: 'true',
    };
    const runner = await startRunner({ aws, queueUrl, handler, workers: 2, env });
    try {
      const startedAt = performance.now();
      await runner.drained();
      return ((performance.now() - startedAt) * 1_000) / messages;
    } finally {
      await runner.stop();
    }
  } finally {
    await aws.stop();
  }
}

function rowFrom(micros: readonly (readonly [number, number])[]): Row {
  return {
    measure: 'through queue, runner and two workers, per message',
    unit: 'µs',
    figures: Object.fromEntries(
      micros.map(([messages, each]) => [
        `${messages.toLocaleString('en')} messages`,
        { median: each, lowest: each, highest: each },
      ]),
    ),
  };
}
