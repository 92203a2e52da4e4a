// What a worker under chaos is told leads through the proxy that loses replies, never past it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { settleChaosOptions } from '../../../lib/local/chaos/options.ts';
import { openWorld } from '../../../lib/local/chaos/world.ts';
import { readQueue } from '../../../lib/local/queue.ts';

test('a client that takes the host from a queue’s URL goes through the proxy as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqs-once-chaos-world-'));
  const world = await openWorld(settleChaosOptions({ seed: 1, messages: 1 }), folder, () => {});
  const { region, credentials } = world.aws;
  const plain = new SQSClient({ region, credentials });
  try {
    const { SQS_ONCE_QUEUE_URL, SQS_ONCE_DLQ_URL, RECEIPTS_QUEUE_URL, AWS_ENDPOINT_URL_SQS } = world.env;
    for (const url of [SQS_ONCE_QUEUE_URL, SQS_ONCE_DLQ_URL, RECEIPTS_QUEUE_URL]) {
      expect(new URL(url ?? '').origin).toBe(AWS_ENDPOINT_URL_SQS);
    }
    await plain.send(new SendMessageCommand({ QueueUrl: SQS_ONCE_QUEUE_URL, MessageBody: '1' }));
    expect((await readQueue(world.aws.sqs(), world.queues.queueUrl)).messages).toBe(1);
  } finally {
    plain.destroy();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
