// The user's client is used as it is: with its own retries, never closed, never changed. What DynamoDB refuses
// for good is told once, in words that say what would do.
import { CreateTableCommand, type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { ask, limit, settlement } from '../support/claims.ts';
import { freshKey, heldFor, orderOf } from './contract/held-writes.ts';
import {
  claimTable,
  type DynamoBench,
  type LocalDynamo,
  openDynamoBench,
  sdkClient,
  startLocalDynamo,
} from './dynamo-bench.ts';

let dynamo: LocalDynamo;
let bench: DynamoBench;

beforeAll(async () => {
  dynamo = await startLocalDynamo();
  bench = await openDynamoBench(dynamo, undefined, 3);
});

afterAll(async () => {
  await bench.close();
  await dynamo.stop();
});

afterEach(() => vi.unstubAllEnvs());

describe.each([
  ['DynamoDBClient', (client: DynamoDBClient) => client],
  [
    'DynamoDBDocumentClient',
    (client: DynamoDBClient) => DynamoDBDocumentClient.from(client) as unknown as DynamoDBClient,
  ],
] as const)("the user's %s", (_, over) => {
  test('is neither closed nor changed', async () => {
    const sdk = sdkClient(dynamo.emulator.endpoint);
    const client = over(sdk);
    const destroyed = [vi.spyOn(sdk, 'destroy'), vi.spyOn(client, 'destroy')];
    // The SDK itself notes a few things at the first call, and the clock's offset at each.
    await client.send(new ListTablesCommand());
    const state = () => [
      { ...client.config, systemClockOffset: 0 },
      client.middlewareStack.identify(),
      Object.keys(client),
    ];
    const before = state();
    const store = dynamoClaims({ client, tableName: claimTable });
    const claim = await heldFor({ after: 'claim' }, { ...bench, store });
    await store.settle(claim, settlement, [orderOf(claim.orderId)], limit);
    expect(state()).toEqual(before);
    for (const spy of destroyed) expect(spy).not.toHaveBeenCalled();
    expect((await sdk.send(new ListTablesCommand())).TableNames).toContain(claimTable);
    sdk.destroy();
  });
});

describe('a table that can never work', () => {
  const sortKey = 'with a sort key';
  beforeAll(() =>
    dynamo.direct.send(
      new CreateTableCommand({
        TableName: sortKey.replaceAll(' ', '-'),
        AttributeDefinitions: [
          { AttributeName: 'claim', AttributeType: 'S' },
          { AttributeName: 'sort', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'claim', KeyType: 'HASH' },
          { AttributeName: 'sort', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    ),
  );

  test.each([
    ['is not there', 'nowhere', 'ResourceNotFoundException', 'SQS_ONCE_TABLE'],
    ['has another key', 'orders', 'ValidationException', '"claim" of type S, without a sort key'],
    ['has a sort key', 'with-a-sort-key', 'ValidationException', '"claim" of type S, without a sort key'],
  ])('because it %s is told once', async (_, tableName, name, advice) => {
    const store = dynamoClaims({ client: bench.sdk, tableName });
    const seen = bench.calls();
    await expect(ask(store, freshKey())).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(new RegExp(`"${tableName}".*${name}.*${advice}`)),
    });
    await expect(store.read(freshKey(), limit)).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(bench.calls() - seen).toBe(2);
  });
});

describe('dynamoClaims', () => {
  test('makes its own client at the first call, and takes the table from the environment', async () => {
    vi.stubEnv('SQS_ONCE_TABLE', claimTable);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamo.emulator.endpoint);
    vi.stubEnv('AWS_REGION', 'local');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    const store = dynamoClaims();
    expect(store.tableName).toBe(claimTable);
    expect(await ask(store, freshKey())).toMatchObject({ status: 'claimed' });
  });

  test.each([
    [{}, "the claim table's name is not given; give dynamoClaims({ tableName }) or set SQS_ONCE_TABLE"],
    [{ tableName: ' ' }, 'the claim table\'s name is " "'],
    [{ tableName: 'claims', table: 'claims' }, 'no option "table"; it has client, tableName'],
    [{ tableName: 'claims', client: null }, 'give a DynamoDBClient or a DynamoDBDocumentClient'],
    [{ tableName: 'claims', client: {} }, 'give a DynamoDBClient or a DynamoDBDocumentClient'],
  ])('refuses %j at once', (options, said) => {
    vi.stubEnv('SQS_ONCE_TABLE', undefined);
    const make = () => dynamoClaims(options as Parameters<typeof dynamoClaims>[0]);
    expect(make).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(said) }),
    );
  });
});
