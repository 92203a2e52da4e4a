// A stranger's consumer: the message flows through claim, transaction and follow-up of the installed package.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { consumeOnce, dynamoClaims, PoisonMessageError } from 'sqs-once';
import { sqsEvent } from 'sqs-once/testing';
import { z } from 'zod';

const client = new DynamoDBClient({});
const Order = z.object({ orderId: z.string(), amountCents: z.int() });
let runs = 0;

const handler = consumeOnce(
  {
    scope: 'stranger',
    schema: Order,
    key: ({ body }) => body.orderId,
    claims: dynamoClaims({ client, tableName: 'claims' }),
    sqs: {
      send: () => {
        throw new Error('nothing here is returned or parked');
      },
    },
    partialResponses: true,
  },
  async ({ body }, attempt) => {
    runs += 1;
    const orderId: string = body.orderId;
    if (body.amountCents < 0) throw new PoisonMessageError('a negative amount');
    attempt.transaction.put({ TableName: 'orders', Item: { orderId, amountCents: body.amountCents } });
    return { orderId };
  },
);

const event = sqsEvent([{ body: { orderId: 'A-17', amountCents: 1_200 } }]);
const answers = [await handler(event), await handler(event)];
console.log(JSON.stringify({ runs, answers }));
client.destroy();
