// Webhooks over real processes, a real table and a real queue: races, kills and load. `npm run load:webhook`
// is the load at full size.

import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, startShop } from '../../lib/local/webhook-demo/shop.ts';
import { receiveHttp } from '../../lib/receiver.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { type Asked, askPort, serve, type Told } from '../support/http-events.ts';
import { loadTheShop } from './webhook/load.ts';

const order = (key: string, more: readonly (readonly [string, string])[] = []): Asked => ({
  path: '/orders',
  headers: [['Idempotency-Key', key], ['X-Tenant', 'ann'], ...more],
  body: '{"sku":"cup"}',
});

describe('a shop', { timeout: 60_000 }, () => {
  let shop: Shop;

  beforeAll(async () => {
    shop = await startShop({ port: 0 });
  }, 60_000);
  afterAll(() => shop?.stop());

  const ask = (asked: Asked): Promise<Told> => askPort(shop.port, asked);

  async function copies(): Promise<readonly number[]> {
    const { Items = [] } = await shop.aws.dynamo().send(new ScanCommand({ TableName: 'orders' }));
    return Items.map(({ copies: count }) => Number(count?.N));
  }

  async function messages(): Promise<number> {
    const seen = new Set<string | undefined>();
    for (;;) {
      const { Messages = [] } = await shop.aws.sqs().send(
        new ReceiveMessageCommand({
          QueueUrl: shop.queueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['sqs-once'],
        }),
      );
      if (Messages.length === 0) return seen.size;
      for (const { MessageAttributes } of Messages) seen.add(MessageAttributes?.['sqs-once']?.StringValue);
    }
  }

  /** As a sender does: again, for as long as it is told to come back or nobody answers. */
  async function askUntilAnswered(asked: Asked): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (;;) {
      const { status } = await ask(asked).catch(() => ({ status: 0 }));
      if (statuses.at(-1) !== status) statuses.push(status);
      if (status === 201) return statuses;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  test('that is killed in the middle of an order finishes it once, at the retry', async () => {
    const first = ask(order('killed', [['X-Demo', 'slow']])).then(
      ({ status }) => status,
      () => 'broken',
    );
    await expect.poll(() => ask(order('killed')).then(({ status }) => status), { timeout: 5_000 }).toBe(409);
    expect(await copies()).toEqual([]);
    await ask({ method: 'DELETE', path: '/process' }).catch(() => undefined);
    expect(await first).toBe('broken');

    const statuses = await askUntilAnswered(order('killed'));
    // Nobody, then the dead one's lease if any of it is left, then the order.
    expect([0, 409]).toContain(statuses.at(-2));
    expect((await ask(order('killed'))).headers['idempotency-replayed']).toBe('true');
    expect(await copies()).toEqual([1]);
    expect(await messages()).toBe(1);
  });
});

test('of fifty simultaneous requests with one key one is answered 201, the others 409 or its replay: one effect', {
  timeout: 60_000,
}, async () => {
  const { startLocalAws } = await import('../../lib/local/local-aws.ts');
  const aws = await startLocalAws();
  const tableName = await aws.createClaimTable();
  let effects = 0;
  const server = await serve(
    receiveHttp(
      { scope: 'race', caller: 'public', claims: dynamoClaims({ client: aws.dynamo(), tableName }) },
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        effects += 1;
        return { statusCode: 201, body: `effect ${effects}` };
      },
    ),
  );
  try {
    const asked: Asked = { headers: [['Idempotency-Key', 'race']], body: '{}' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.ask(asked)));
    const fresh = answers.filter(
      ({ status, headers }) => status === 201 && headers['idempotency-replayed'] === undefined,
    );
    const replays = answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true');
    const held = answers.filter(({ status }) => status === 409);
    expect([fresh.length, replays.length + held.length]).toEqual([1, 49]);
    for (const { body } of [...fresh, ...replays]) expect(body.toString()).toBe('effect 1');
    for (const { headers } of held) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(effects).toBe(1);
    expect((await server.ask(asked)).body.toString()).toBe('effect 1');
  } finally {
    await server.stop();
    await aws.stop();
  }
});

test('under load with duplicates and a kill, effects are distinct keys', { timeout: 120_000 }, async () => {
  const report = await loadTheShop({ requests: 400, connections: 16, duplicates: 0.3, kills: 1, seed: 11 });
  expect(report.answers['201']).toBeGreaterThan(200);
  expect(report.kills).toBe(1);
  expect(report.distinctKeys).toBeLessThan(330);
  expect(report).toMatchObject({ effects: report.distinctKeys, doubleEffects: 0, contradictions: 0 });
});
