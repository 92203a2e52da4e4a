// With claim 'with-commit' the claim, the outcome and the handler's items travel in one request; counted on the wire.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countingClient } from '../../bench/clients.ts';
import { freshEvent } from '../../bench/events.ts';
import { lambdaContext, type Order } from '../../bench/sides/side.ts';
import { consumeOnce, dynamoClaims } from '../../lib/index.ts';
import { startDynoxide } from '../../lib/local/dynoxide.ts';
import { scanTable } from '../../lib/local/scan-table.ts';
import { createClaimTable, createTable } from '../../lib/local/tables.ts';

let dynamo: Awaited<ReturnType<typeof startDynoxide>>;
let counted: ReturnType<typeof countingClient>;

beforeAll(async () => {
  dynamo = await startDynoxide();
  counted = countingClient(dynamo.endpoint);
  await createClaimTable(counted.client);
  await createTable(counted.client, 'items', 'id');
}, 60_000);

afterAll(async () => {
  counted?.client.destroy();
  await dynamo?.stop();
});

test('a message that writes three items costs one request, and so does its duplicate', async () => {
  const deliver = consumeOnce<Order>(
    {
      scope: 'orders',
      claims: dynamoClaims({ client: counted.client, tableName: 'claims' }),
      key: ({ body }) => body.orderId,
      claim: 'with-commit',
      partialResponses: true,
    },
    async ({ body: { orderId } }, { transaction }) => {
      transaction.put({ TableName: 'items', Item: { id: orderId } });
      transaction.put({ TableName: 'items', Item: { id: `${orderId}, invoice` } });
      transaction.update({
        TableName: 'items',
        Key: { id: 'counter' },
        UpdateExpression: 'ADD orders :one',
        ExpressionAttributeValues: { ':one': 1 },
      });
    },
  );
  const event = freshEvent(1);
  for (const delivery of ['first', 'duplicate']) {
    counted.traffic.requests = 0;
    expect(await deliver(event, lambdaContext)).toEqual({ batchItemFailures: [] });
    expect(counted.traffic.requests, delivery).toBe(1);
  }
  const items = await scanTable(counted.client, 'items', (item) => item);
  expect(items).toHaveLength(3);
  expect(items).toContainEqual({ id: 'counter', orders: 1 });
});
