import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, test } from 'vitest';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { leanDynamoClient } from '../support/lean-dynamo-client.ts';
import { raceOnOneKey } from './contract/claiming.ts';
import { claimStoreContract } from './contract.ts';
import { claimTable, type LocalDynamo, openDynamoBench, startLocalDynamo } from './dynamo-bench.ts';

let dynamo: LocalDynamo;

beforeAll(async () => {
  dynamo = await startLocalDynamo();
});

afterAll(() => dynamo.stop());

claimStoreContract('dynamoClaims with a DynamoDBClient', () => openDynamoBench(dynamo));
claimStoreContract('dynamoClaims with a DynamoDBDocumentClient', () =>
  openDynamoBench(dynamo, (sdk) => DynamoDBDocumentClient.from(sdk)),
);
test('1,000 times 50 claims of one key at once: exactly one wins', async () => {
  const client = leanDynamoClient(dynamo.emulator.endpoint);
  await raceOnOneKey(dynamoClaims({ client, tableName: claimTable }), 1_000);
  client.destroy();
}, 120_000);
