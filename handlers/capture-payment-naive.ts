import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { setting } from './environment.ts';
import { type Charge, capture } from './gateway.ts';

const captures = setting('CAPTURES_TABLE');
const balances = setting('BALANCES_TABLE');

const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

/**
 * Not an example to follow: the payment consumer as it is often written. It reads well, passes its tests and
 * charges twice, because nothing tells it that a message, or half of its work, was there before.
 */
export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const results = await Promise.allSettled(Records.map(capturePayment));
  const failed = Records.filter((_, index) => results[index]?.status === 'rejected');
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

async function capturePayment({ body }: SQSRecord): Promise<void> {
  const order: Charge = JSON.parse(body);
  const { orderId, merchantId, amountCents } = order;
  const charge = await capture(order, { idempotencyKey: randomUUID() });
  if (charge.status === 'refused') throw new Error(`the gateway refuses: ${charge.reason}`);
  await documents.send(
    new PutCommand({ TableName: captures, Item: { captureId: randomUUID(), orderId, amountCents } }),
  );
  await documents.send(
    new UpdateCommand({
      TableName: balances,
      Key: { merchantId },
      UpdateExpression: 'ADD balanceCents :amount',
      ExpressionAttributeValues: { ':amount': amountCents },
    }),
  );
}
