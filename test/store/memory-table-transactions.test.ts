// A transaction in memory does all of its writes or none, and says which of them stood in the way, as AWS does.
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { type MemoryTable, memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes } from '../../lib/store/table.ts';

const signal = new AbortController().signal;
let table: MemoryTable;

beforeEach(() => {
  table = memoryTable({ keys: { orders: ['orderId'], stock: ['shelf', 'place'] } });
});

const key = (orderId: string): Attributes => ({ orderId: { S: orderId } });
const transact = (TransactItems: TransactWriteItem[], ClientRequestToken?: string): Promise<void> =>
  table.transact({ TransactItems, ClientRequestToken }, signal);
const put = (orderId: string, rest: object = {}): TransactWriteItem => ({
  Put: { TableName: 'orders', Item: key(orderId), ...rest },
});
const update = (orderId: string, UpdateExpression: string, rest: object = {}): TransactWriteItem => ({
  Update: { TableName: 'orders', Key: key(orderId), UpdateExpression, ...rest },
});
const check = (orderId: string, ConditionExpression: string): TransactWriteItem => ({
  ConditionCheck: { TableName: 'orders', Key: key(orderId), ConditionExpression },
});
const absent = { ConditionExpression: 'attribute_not_exists(orderId)' };
const allOld = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
const one = { ExpressionAttributeValues: { ':one': { N: '1' } } };
const invalid = (message: string) =>
  expect.objectContaining({ name: 'ValidationException', message: expect.stringContaining(message) });

test('all writes land, across tables', async () => {
  table.seed('orders', key('old'));
  const place = { shelf: { S: 'a' }, place: { N: '1' } };
  await transact([
    put('new', absent),
    { Update: { TableName: 'stock', Key: place, UpdateExpression: 'ADD cups :one', ...one } },
    { Delete: { TableName: 'orders', Key: key('old') } },
    check('third', 'attribute_not_exists(orderId)'),
  ]);
  expect(table.items('orders')).toEqual([key('new')]);
  expect(table.items('stock')).toEqual([{ ...place, cups: { N: '1' } }]);
});

test('one write that cannot be made keeps all others out, and each tells its own reason', async () => {
  table.seed('orders', { ...key('a'), sold: { N: '1' } });
  const error = await transact([
    put('b'),
    put('a', { ...absent, ...allOld }),
    check('e', 'attribute_exists(orderId)'),
    update('c', 'SET sold = lost'),
    put('d', { ConditionExpression: 'attribute_exists(orderId)', ...allOld }),
  ]).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'TransactionCanceledException' });
  expect(error.message).toContain(
    '[None, ConditionalCheckFailed, ConditionalCheckFailed, ValidationError, ConditionalCheckFailed]',
  );
  const failed = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' };
  expect(error.CancellationReasons).toEqual([
    { Code: 'None' },
    { ...failed, Item: { ...key('a'), sold: { N: '1' } } },
    failed,
    { Code: 'ValidationError', Message: expect.stringContaining('does not exist in the item') },
    failed,
  ]);
  expect(table.items('orders')).toEqual([{ ...key('a'), sold: { N: '1' } }]);
});

test.each([
  ['another key', { Delete: { TableName: 'orders', Key: { cupId: { S: 'a' } } } }],
  ['no key', { Delete: { TableName: 'orders', Key: {} } }],
  ['a put without its key', { Put: { TableName: 'orders', Item: { cupId: { S: 'a' } } } }],
  ['a new value for the key', update('a', 'SET orderId = :one', one)],
])('%s cancels the transaction before any condition is looked at', async (_, write) => {
  await expect(
    transact([put('x', { ConditionExpression: 'attribute_exists(orderId)' }), write]),
  ).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ValidationError' }],
  });
  expect(table.items('orders')).toEqual([]);
});

test.each([
  [
    'a second write to one item',
    [put('a'), check('a', 'attribute_exists(orderId)')],
    'multiple operations on one item',
  ],
  ['an expression that cannot be read', [put('a'), update('b', 'SET')], 'Syntax error'],
  ['a placeholder without use', [put('a'), update('b', 'REMOVE sold', one)], 'unused in expressions'],
  ['a value that is none', [put('a', { Item: { ...key('a'), sold: {} } })], 'AttributeValue is empty'],
  ['an empty set', [put('a', { Item: { ...key('a'), sold: { SS: [] } } })], 'may not be empty'],
  [
    'a set with a member twice',
    [put('a', { Item: { ...key('a'), sold: { NS: ['1', '1.0'] } } })],
    'duplicates',
  ],
  [
    'a check without a condition',
    [{ ConditionCheck: { TableName: 'orders', Key: key('a') } }],
    'ConditionExpression',
  ],
  [
    'two writes in one place',
    [{ ...put('a'), ...check('b', 'attribute_exists(a)') }],
    'can only contain one',
  ],
  ['no write at all', [], 'between 1 and 100'],
  [
    'a hundred and one writes',
    Array.from({ length: 101 }, (_, index) => put(`${index}`)),
    'between 1 and 100',
  ],
  [
    'more than 4 MB',
    Array.from({ length: 11 }, (_, index) =>
      put(`${index}`, { Item: { ...key(`${index}`), note: { S: 'x'.repeat(400_000) } } }),
    ),
    '4194304 bytes',
  ],
] as [string, TransactWriteItem[], string][])('%s is refused at once', async (_, writes, message) => {
  await expect(transact(writes)).rejects.toEqual(invalid(message));
  expect(table.items('orders')).toEqual([]);
});

test('a hundred writes are taken', async () => {
  await transact(Array.from({ length: 100 }, (_, index) => put(`${index}`)));
  expect(table.items('orders')).toHaveLength(100);
});

test('a put may carry placeholders that nothing uses when it has no condition', async () => {
  await transact([put('a', { ExpressionAttributeNames: { '#sold': 'sold' } })]);
  expect(table.items('orders')).toEqual([key('a')]);
});

test('a put may use a key that another write of its transaction tells', async () => {
  await transact([
    { Put: { TableName: 'cups', Item: { cupId: { S: 'a' } } } },
    { Delete: { TableName: 'cups', Key: { cupId: { S: 'b' } } } },
  ]);
  expect(table.items('cups')).toEqual([{ cupId: { S: 'a' } }]);
});

test('a repeated request token does nothing and says it went well', async () => {
  const sell = [update('a', 'ADD sold :one', one)];
  await transact(sell, 'token');
  await transact(sell, 'token');
  expect(table.items('orders')).toEqual([{ ...key('a'), sold: { N: '1' } }]);
  await expect(transact([put('b')], 'token')).rejects.toMatchObject({
    name: 'IdempotentParameterMismatchException',
  });
  await expect(transact(sell, 'x'.repeat(37))).rejects.toEqual(invalid('clientRequestToken'));
});

test('the token of a cancelled transaction is still free', async () => {
  const sell = [update('a', 'ADD sold :one', { ...one, ConditionExpression: 'attribute_exists(orderId)' })];
  await expect(transact(sell, 'token')).rejects.toMatchObject({ name: 'TransactionCanceledException' });
  table.seed('orders', key('a'));
  await transact(sell, 'token');
  expect(table.items('orders')).toEqual([{ ...key('a'), sold: { N: '1' } }]);
});
