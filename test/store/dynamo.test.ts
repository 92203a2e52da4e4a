import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, test } from 'vitest';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { inCompany } from '../support/in-company.ts';
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
claimStoreContract('dynamoClaims with batching, each call by itself', () =>
  openDynamoBench(dynamo, undefined, 1, true),
);
// What fails for several at once has a test of its own, in batching.test.ts.
claimStoreContract(
  'dynamoClaims with batching, in company',
  async () => inCompany(await openDynamoBench(dynamo, undefined, 1, true)),
  { failing: false },
);
test('1,000 times 50 claims of one key at once: exactly one wins', async () => {
  const client = leanDynamoClient(dynamo.emulator.endpoint);
  await raceOnOneKey(dynamoClaims({ client, tableName: claimTable }), 1_000);
  client.destroy();
}, 120_000);
