import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';

export async function createTable(
  client: DynamoDBClient,
  name: string,
  partitionKey: string,
): Promise<string> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      AttributeDefinitions: [{ AttributeName: partitionKey, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return name;
}

export async function createClaimTable(client: DynamoDBClient, name = 'claims'): Promise<string> {
  await createTable(client, name, 'claim');
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    }),
  );
  return name;
}
