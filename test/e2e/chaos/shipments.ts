// A stranger's consumer, with a claim and without one.
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { consumeOnce } from '../../../lib/index.ts';

const dynamo = new DynamoDBClient();

export interface Shipment {
  readonly shipmentId: string;
  readonly parcels: number;
}

const options = {
  scope: 'ship',
  parse: (text: string): Shipment => JSON.parse(text),
  key: ({ body }: { body: Shipment }) => body.shipmentId,
};

export const handler = consumeOnce(options, async ({ body: { shipmentId, parcels } }, attempt) => {
  attempt.transaction.put({ TableName: 'shipments', Item: { shipmentId } });
  attempt.transaction.update({
    TableName: 'shelves',
    Key: { shelf: 'out' },
    UpdateExpression: 'ADD parcels :some',
    ExpressionAttributeValues: { ':some': parcels },
  });
});

/** The same work without a claim and without a transaction. */
export const naive = async ({ Records }: { Records: { body: string }[] }): Promise<void> => {
  for (const record of Records) {
    const { shipmentId, parcels } = JSON.parse(record.body) as Shipment;
    await dynamo.send(
      new PutItemCommand({ TableName: 'shipments', Item: { shipmentId: { S: shipmentId } } }),
    );
    await dynamo.send(
      new UpdateItemCommand({
        TableName: 'shelves',
        Key: { shelf: { S: 'out' } },
        UpdateExpression: 'ADD parcels :some',
        ExpressionAttributeValues: { ':some': { N: String(parcels) } },
      }),
    );
  }
};
