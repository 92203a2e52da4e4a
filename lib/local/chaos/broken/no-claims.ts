import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { SqsBatchResponse, SqsEvent } from '../../../index.ts';
import type { Order } from '../order.ts';
import { charge } from '../payment.ts';

const dynamo = new DynamoDBClient();
const endpoint = process.env.AWS_ENDPOINT_URL_SQS;
const sqs = new SQSClient(endpoint === undefined ? {} : { endpoint });

/** The built-in consumer as it would be without this package. */
export const handler = async ({ Records }: SqsEvent): Promise<SqsBatchResponse> => {
  const results = await Promise.allSettled(Records.map(({ body }) => pay(JSON.parse(body))));
  const failed = Records.filter((_, index) => results[index]?.status === 'rejected');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

async function pay(order: Order): Promise<void> {
  const { orderId, merchantId, amountCents } = order;
  const captureId = await charge(order, randomUUID());
  await dynamo.send(
    new PutItemCommand({
      TableName: process.env.CAPTURES_TABLE,
      Item: marshall({ captureId, orderId, amountCents }),
    }),
  );
  await dynamo.send(
    new UpdateItemCommand({
      TableName: process.env.BALANCES_TABLE,
      Key: marshall({ merchantId }),
      UpdateExpression:
        'ADD balanceCents :amount SET orderIds = list_append(if_not_exists(orderIds, :none), :one)',
      ExpressionAttributeValues: marshall({ ':amount': amountCents, ':none': [], ':one': [orderId] }),
    }),
  );
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.RECEIPTS_QUEUE_URL,
      MessageBody: JSON.stringify({ orderId }),
    }),
  );
}
