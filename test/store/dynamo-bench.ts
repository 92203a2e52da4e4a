import { DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ambientWithClock } from '../../lib/ambient.ts';
import { startDynoxide } from '../../lib/local/dynoxide.ts';
import type { Emulator } from '../../lib/local/emulator.ts';
import { createClaimTable, createTable } from '../../lib/local/tables.ts';
import { type DynamoClient, dynamoClaimsIn } from '../../lib/store/dynamo.ts';
import type { Attributes } from '../../lib/store/table.ts';
import { nowMillis } from '../support/claims.ts';
import { type DroppingProxy, startDroppingProxy } from '../support/dropping-proxy.ts';
import type { Bench } from './bench.ts';

/** A local DynamoDB with the tables of the contract. */
export interface LocalDynamo {
  readonly emulator: Emulator;
  /** Past every proxy. */
  readonly direct: DynamoDBClient;
  stop(): Promise<void>;
}

export const claimTable = 'claims';

export async function startLocalDynamo(): Promise<LocalDynamo> {
  const emulator = await startDynoxide();
  const direct = sdkClient(emulator.endpoint);
  await createClaimTable(direct, claimTable);
  await createTable(direct, 'orders', 'id');
  return {
    emulator,
    direct,
    async stop() {
      direct.destroy();
      await emulator.stop();
    },
  };
}

/** @param maxAttempts 1 switches the SDK's own retries off */
export function sdkClient(endpoint: string, maxAttempts = 1): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts,
  });
}

export interface DynamoBench extends Bench {
  readonly proxy: DroppingProxy;
  readonly sdk: DynamoDBClient;
}

/** @param clientOver the client the store is given, over the SDK's */
export async function openDynamoBench(
  { emulator, direct }: LocalDynamo,
  clientOver: (sdk: DynamoDBClient) => DynamoClient = (sdk) => sdk,
  maxAttempts = 1,
  batching = false,
): Promise<DynamoBench> {
  const proxy = await startDroppingProxy(emulator.endpoint);
  const sdk = sdkClient(proxy.endpoint, maxAttempts);
  let forgiven = 0;
  const get = async (TableName: string, Key: Attributes) =>
    (await direct.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item;
  return {
    proxy,
    sdk,
    store: dynamoClaimsIn(
      { client: clientOver(sdk), tableName: claimTable, batching },
      ambientWithClock(() => nowMillis),
    ),
    item: (rowKey) => get(claimTable, { claim: { S: rowKey } }),
    order: (id) => get('orders', { id: { S: id } }),
    seed: async (Item) => void (await direct.send(new PutItemCommand({ TableName: claimTable, Item }))),
    sweep: async (rowKey) =>
      void (await direct.send(
        new DeleteItemCommand({ TableName: claimTable, Key: { claim: { S: rowKey } } }),
      )),
    loseNextReply: () => proxy.dropNextReply(),
    failNext(name, times = 1, more = {}) {
      const since = forgiven;
      const body = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...more };
      proxy.answerNext(400, body, () => since === forgiven, times);
    },
    forgive() {
      forgiven += 1;
    },
    hangNext() {
      const since = forgiven;
      proxy.delayNext(60_000, () => since === forgiven);
    },
    calls: () => proxy.requests.length,
    async close() {
      sdk.destroy();
      await proxy.stop();
    },
  };
}
