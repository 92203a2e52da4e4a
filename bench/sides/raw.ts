import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Order, Side } from './side.ts';

const table = 'raw';

/** The two writes nobody can do without, by hand, and nothing else: no lease, no fence, no outcome. */
export const raw: Side = {
  name: 'raw SDK',
  table,
  partitionKey: 'id',
  open(client, work) {
    const once = async (order: Order) => {
      const id = { S: order.orderId };
      await client.send(
        new PutItemCommand({
          TableName: table,
          Item: { id, state: { S: 'started' } },
          ConditionExpression: 'attribute_not_exists(id)',
        }),
      );
      const result = JSON.stringify(await work(order));
      await client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { id },
          UpdateExpression: 'SET #state = :state, #result = :result',
          ExpressionAttributeNames: { '#state': 'state', '#result': 'result' },
          ExpressionAttributeValues: { ':state': { S: 'done' }, ':result': { S: result } },
        }),
      );
    };
    return (event) => Promise.allSettled(event.Records.map(async ({ body }) => once(JSON.parse(body))));
  },
};

/** The same, with no more records at work at once than a consumer of ours has by default. */
export const rawCapped: Side = {
  ...raw,
  name: 'raw SDK, 50 at a time',
  open(client, work) {
    const handler = raw.open(client, work);
    return async ({ Records }) => {
      const waiting = Records.values();
      const worker = async () => {
        for (const record of waiting) await handler({ Records: [record] });
      };
      await Promise.all(Array.from({ length: 50 }, worker));
    };
  },
};
