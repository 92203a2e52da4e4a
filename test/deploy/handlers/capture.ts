import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import middy from '@middy/core';
import { dynamoClaims, idempotentConsumer, PoisonMessageError } from '../../../lib/index.ts';
import { rightsFor } from '../rights-for.ts';

/** What a message asks the handler to do, so that one deployment shows every way a message can go. */
export interface Order {
  readonly orderId: string;
  readonly behave?: 'throw' | 'throw-once' | 'poison';
}

const { RUNS = '', CAPTURES = '', RECEIPTS = '' } = process.env;

const database = recorded(new DynamoDBClient());
const queues = recorded(new SQSClient());
/** Not recorded: it is the test's, not the product's. */
const counter = new DynamoDBClient();

const orders = idempotentConsumer<Order>({
  scope: 'capture',
  key: ({ body }) => body.orderId,
  claims: dynamoClaims({ client: database }),
  sqs: queues,
  // The check should not wait for a patient retry.
  backoff: { minSeconds: 1, factor: 1 },
});

export const handler = middy()
  .use(orders)
  .handler(
    orders.eachMessage(async ({ body: { orderId, behave } }, attempt) => {
      await count(orderId, 'runs', 1);
      if (behave === 'poison') throw new PoisonMessageError('asked for');
      if (behave === 'throw' || (behave === 'throw-once' && attempt.number === 1))
        throw new Error('asked for');
      attempt.transaction.put({
        TableName: CAPTURES,
        Item: { orderId, effect: attempt.effectKey('capture') },
      });
      attempt.followUps.send({ queueUrl: RECEIPTS, body: { orderId } });
      return { orderId };
    }),
  );

function count(orderId: string, attribute: string, by: number): Promise<unknown> {
  return counter.send(
    new UpdateItemCommand({
      TableName: RUNS,
      Key: { orderId: { S: orderId } },
      UpdateExpression: 'ADD #attribute :by',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':by': { N: String(by) } },
    }),
  );
}

/** A client that notes each call as the right it needs, so that the check can hold the role against them. */
function recorded<Client extends Listening>(client: Client): Client {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const rights = rightsFor(commandName.replace(/Command$/, ''), args.input);
        for (const right of rights) await count(`used:${right}`, 'calls', 1);
        return next(args);
      },
    { step: 'initialize', name: 'noteTheRight' },
  );
  return client;
}

/** The part of an SDK client that both have in one type. */
interface Listening {
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: { readonly commandName?: string }) => Next,
      options: { readonly step: 'initialize'; readonly name: string },
    ): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the two clients' stacks differ in types that play no part here
type Next = (args: { input: any }) => Promise<any>;
