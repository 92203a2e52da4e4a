// What an attempt collects is what DynamoDB takes: an emulator that is tested against the real one lands it,
// refuses it slot by slot, and hands old items back as they are judged.
import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stateMachine } from '../../lib/handle/state-machine.ts';
import { createTransaction } from '../../lib/handle/transaction.ts';
import { startDynoxide } from '../../lib/local/dynoxide.ts';
import type { Emulator } from '../../lib/local/emulator.ts';
import { createTable } from '../../lib/local/tables.ts';
import type { TransactStatement } from '../../lib/store/table.ts';
import { transact } from '../support/transact.ts';

let emulator: Emulator;
let client: DynamoDBClient;

beforeAll(async () => {
  emulator = await startDynoxide();
  client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await createTable(client, 'orders', 'id');
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

const table = {
  transact: async (statement: TransactStatement) =>
    void (await client.send(new TransactWriteItemsCommand(statement))),
};

const machine = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });
const collect = () => createTransaction({ claimTable: 'claims', ensureOpen: () => {} });

async function item(id: string): Promise<Record<string, unknown> | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName: 'orders', Key: { id: { S: id } } }));
  return Item && unmarshall(Item);
}

test('every kind of write lands together', async () => {
  const first = collect();
  first.face.put({ TableName: 'orders', Item: { id: 'gone' } });
  first.face.put({
    TableName: 'orders',
    Item: { id: 'all', list: [1n, null, { a: true }], tags: new Set(['x']), bytes: new Uint8Array([1]) },
  });
  expect(await transact(table, first)).toEqual({ status: 'landed' });

  const second = collect();
  second.face.check({
    TableName: 'orders',
    Key: { id: 'all' },
    ConditionExpression: 'size(tags) = :n',
    ExpressionAttributeValues: { ':n': 1 },
  });
  second.face.delete({ TableName: 'orders', Key: { id: 'gone' } });
  second.face.update({
    TableName: 'orders',
    Key: { id: 'count' },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': 1 },
  });
  second.face.transition({
    TableName: 'orders',
    Key: { id: 'pay' },
    attribute: 'status',
    machine,
    to: 'authorised',
    set: { 'paid.by': 'card' },
  });
  expect(await transact(table, second)).toEqual({ status: 'landed' });
  expect(await Promise.all(['all', 'gone', 'count', 'pay'].map(item))).toEqual([
    { id: 'all', list: [1, null, { a: true }], tags: new Set(['x']), bytes: new Uint8Array([1]) },
    undefined,
    { id: 'count', n: 1 },
    { id: 'pay', status: 'authorised', 'paid.by': 'card' },
  ]);
});

test('a refused transition is judged by the item that stands there, and nothing beside it lands', async () => {
  const step = (to: 'authorised' | 'captured' | 'refunded') => {
    const collected = collect();
    collected.face.put({ TableName: 'orders', Item: { id: `beside-${to}` } });
    collected.face.transition({ TableName: 'orders', Key: { id: 'p-1' }, attribute: 'status', machine, to });
    return transact(table, collected);
  };
  expect(await step('captured')).toMatchObject({ status: 'early' });
  expect(await step('authorised')).toEqual({ status: 'landed' });
  expect(await step('refunded')).toMatchObject({
    status: 'early',
    error: { item: { id: 'p-1', status: 'authorised' } },
  });
  expect(await step('authorised')).toMatchObject({
    status: 'rejected',
    reason: 'late: "status" is "authorised" already',
  });
  expect([await item('beside-captured'), await item('beside-refunded')]).toEqual([undefined, undefined]);
});

test("the user's refused condition comes with its place and the old item it asked for", async () => {
  const collected = collect();
  collected.face.put({ TableName: 'orders', Item: { id: 'other' } });
  collected.face.update({
    TableName: 'orders',
    Key: { id: 'count' },
    UpdateExpression: 'SET n = n - :n',
    ConditionExpression: 'n >= :n',
    ExpressionAttributeValues: { ':n': 5 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  expect(await transact(table, collected)).toMatchObject({
    status: 'condition',
    error: { index: 1, item: { id: 'count', n: 1 } },
  });
});

test('ninety-nine writes and the claim are a transaction', async () => {
  const collected = collect();
  for (let i = 0; i < 99; i += 1) collected.face.put({ TableName: 'orders', Item: { id: `many-${i}` } });
  const claim = { Put: { TableName: 'orders', Item: { id: { S: 'claim' } } } };
  await table.transact({ TransactItems: [claim, ...collected.freeze()] });
  expect(await Promise.all(['claim', 'many-98'].map(item))).toEqual([{ id: 'claim' }, { id: 'many-98' }]);
});
