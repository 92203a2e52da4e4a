import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { type LocalAws, startLocalAws } from '../../../lib/local/local-aws.ts';
import { startRunner } from '../../../lib/local/runner.ts';
import { reasonOf } from '../../../lib/redrive/dead-letter.ts';
import { look } from '../../../lib/redrive/look.ts';
import { findQueue } from '../../../lib/redrive/queue.ts';
import { type Page, root } from '../pages.ts';
import { makeFolder } from './folder.ts';
import type { World } from './world.ts';

const maxReceiveCount = 50;

/** Four messages in a dead-letter queue, each there for another reason, and the claims that know of three. */
export async function parkedWorld(_: Page, pages: readonly Page[]): Promise<World> {
  const aws = await startLocalAws();
  const folder = makeFolder();
  const tableName = await aws.createClaimTable();
  const pair = await aws.createQueuePair({ name: 'payments', maxReceiveCount });
  const env = {
    SQS_ONCE_TABLE: tableName,
    SQS_ONCE_QUEUE_URL: pair.queueUrl,
    SQS_ONCE_DLQ_URL: pair.deadLetterQueueUrl,
  };
  const handler = `${root}scripts/docs/worlds/payments.handler`;
  const runner = await startRunner({ aws, queueUrl: pair.queueUrl, handler, env, workers: 1 });
  const bodies = ['{"orderId":"A-17","currency":"XXX"}', '{', '{"orderId":"A-18","currency":"JPY"}'];
  for (const [place, body] of bodies.entries()) {
    await aws.sqs().send(new SendMessageCommand({ QueueUrl: pair.queueUrl, MessageBody: body }));
    await arrived(aws, pair.deadLetterQueueUrl, place + 1);
  }
  await runner.stop();
  const movedBySqs = '{"orderId":"A-19","currency":"EUR"}';
  await aws
    .sqs()
    .send(new SendMessageCommand({ QueueUrl: pair.deadLetterQueueUrl, MessageBody: movedBySqs }));
  const shown = shownIds(pages);
  const actual = await actualIds(aws, pair.deadLetterQueueUrl);
  return {
    folder: folder.path,
    env: { ...folder.env, ...aws.env, SQS_ONCE_TABLE: tableName },
    translate: (command) =>
      [...shown].reduce((text, [id, reason]) => text.replaceAll(id, actual.get(reason) ?? id), command),
    async stop() {
      folder.remove();
      await aws.stop();
    },
  };
}

async function arrived(aws: LocalAws, QueueUrl: string, count: number): Promise<void> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  for (let look = 0; look < 600; look += 1) {
    const { Attributes } = await aws.sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    if (Attributes?.ApproximateNumberOfMessages === String(count)) return;
    await sleep(50);
  }
  throw new Error(`message ${count} was never parked`);
}

/** The ids in the list that docs/parking.md shows, by which other pages name these messages too. */
function shownIds(pages: readonly Page[]): ReadonlyMap<string, string> {
  const text = pages.find(({ path }) => path === 'docs/parking.md')?.text ?? '';
  const rows = text.matchAll(/^│ ([0-9a-f-]{36}) │[^│]+│[^│]+│ ([a-z-]+) +│ \d? +│/gm);
  return new Map([...rows].map(([, id = '', reason = '']) => [id, reason]));
}

async function actualIds(aws: LocalAws, url: string): Promise<ReadonlyMap<string, string>> {
  const queue = await findQueue(aws.sqs(), url);
  const { found, pass } = await look({
    sqs: aws.sqs(),
    queue,
    readClaim: async () => ({ status: 'unknown' }),
    selection: {},
    limit: 10,
  });
  await pass.end();
  return new Map(found.map(({ letter }) => [reasonOf(letter), letter.messageId]));
}
