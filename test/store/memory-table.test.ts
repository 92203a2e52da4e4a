// The table in memory gives DynamoDB's answers, also where the local DynamoDB gives others: a unit test that
// passes here must not fail on AWS for a reason it could have seen.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { type MemoryTable, memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes } from '../../lib/store/table.ts';
import { type Written, writtenUpdate } from '../support/written-update.ts';

const signal = new AbortController().signal;
const key = { orderId: { S: 'one' } };
let table: MemoryTable;

beforeEach(() => {
  table = memoryTable({ keys: { orders: ['orderId'] } });
});

const update = (written: Written): Promise<void> =>
  table.update(writtenUpdate('orders', key, written), signal);
const stored = (): Attributes | undefined => table.items('orders')[0];
const invalid = (message: string) =>
  expect.objectContaining({ name: 'ValidationException', message: expect.stringContaining(message) });
const list = (...values: readonly number[]): AttributeValue => ({
  L: values.map((value) => ({ N: String(value) })),
});

test('a refused condition changes nothing and tells the old item when asked', async () => {
  table.seed('orders', { ...key, sold: { N: '5' } });
  const refused = {
    ConditionExpression: '#1 > :most',
    ExpressionAttributeNames: { '#1': 'sold' },
    UpdateExpression: 'SET sold = :most',
    values: { ':most': { N: '5' } },
  };
  const error = await update(refused).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'ConditionalCheckFailedException' });
  expect('Item' in error).toBe(false);
  await expect(update({ ...refused, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })).rejects.toMatchObject({
    Item: { ...key, sold: { N: '5' } },
  });
  expect(stored()).toEqual({ ...key, sold: { N: '5' } });
});

test('a condition on nothing sees an item without attributes', async () => {
  await update({
    ConditionExpression: 'attribute_not_exists(orderId) AND sold <> :n AND NOT sold < :n',
    values: { ':n': { N: '1' } },
  });
  expect(stored()).toEqual(key);
});

test('numbers keep all their digits', async () => {
  table.seed('orders', { ...key, fence: { N: '9007199254740993' }, price: { N: '0.10' } });
  await update({
    ConditionExpression: 'fence > :less',
    UpdateExpression: 'SET fence = fence + :one, price = price + :more',
    values: { ':less': { N: '9007199254740992' }, ':one': { N: '1' }, ':more': { N: '0.2' } },
  });
  expect(stored()).toEqual({ ...key, fence: { N: '9007199254740994' }, price: { N: '0.3' } });
});

test('an update computes from the item as it was', async () => {
  table.seed('orders', { ...key, a: { N: '1' }, b: { N: '2' }, cups: list(0, 1, 2, 3) });
  await update({
    UpdateExpression: 'SET a = b, b = a, cups[3] = :n REMOVE cups[1], cups[0]',
    values: { ':n': { N: '9' } },
  });
  expect(stored()).toEqual({ ...key, a: { N: '2' }, b: { N: '1' }, cups: list(2, 9) });
});

test('elements past the end of a list are appended in the order of their numbers', async () => {
  table.seed('orders', { ...key, cups: list(0) });
  await update({
    UpdateExpression: 'SET cups[7] = :seven, cups[5] = :five REMOVE cups[1]',
    values: { ':seven': { N: '7' }, ':five': { N: '5' } },
  });
  expect(stored()?.cups).toEqual(list(0, 5, 7));
});

test('removing a part of an item that is not there is no mistake', async () => {
  await update({ UpdateExpression: 'REMOVE lost.city' });
  expect(stored()).toEqual(key);
});

test('an item larger than 400 KB is refused, put or updated', async () => {
  const rest = {
    ...key,
    cups: { NS: ['1', '-12'] },
    list: { L: [{ BOOL: true }] },
    map: { M: { a: { NULL: true } } },
  };
  // Names, the key, two numbers, a list and a map, and the name of the note.
  const restBytes =
    'orderIdone'.length + 'cups'.length + 2 + 3 + 'list'.length + 5 + 'map'.length + 6 + 'note'.length;
  const filled = (bytes: number) => ({
    ...rest,
    note: { S: `${'é'.repeat(bytes >> 1)}${'x'.repeat(bytes & 1)}` },
  });
  table.seed('orders', filled(400 * 1_024 - restBytes));
  expect(() => table.seed('orders', filled(400 * 1_024 - restBytes + 1))).toThrow(invalid('Item size'));
  await expect(update({ UpdateExpression: 'SET a = :n', values: { ':n': { N: '1' } } })).rejects.toEqual(
    invalid('Item size to update'),
  );
});

test('keys of different types are different keys', async () => {
  table.seed('orders', { orderId: { S: '1' } });
  table.seed('orders', { orderId: { N: '1' } });
  table.seed('orders', { orderId: { N: '1.0' }, again: { BOOL: true } });
  expect(table.items('orders')).toEqual([
    { orderId: { S: '1' } },
    { orderId: { N: '1' }, again: { BOOL: true } },
  ]);
});

test('what goes in and what comes out are copies', async () => {
  const item = { ...key, cups: list(1), bytes: { B: Uint8Array.of(1) } };
  table.seed('orders', item);
  item.cups.L?.push({ N: '2' });
  item.bytes.B[0] = 9;
  const read = await table.get('orders', key, signal);
  read?.cups?.L?.push({ N: '3' });
  read?.bytes?.B?.fill(8);
  expect(stored()).toEqual({ ...key, cups: list(1), bytes: { B: Uint8Array.of(1) } });
});

test('a caller that has given up changes nothing', async () => {
  const gone = AbortSignal.abort();
  const put = { TableName: 'orders', Item: key, ConditionExpression: 'attribute_not_exists(orderId)' };
  await expect(
    table.put({ ...put, ExpressionAttributeNames: {}, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }, gone),
  ).rejects.toMatchObject({ name: 'AbortError' });
  expect(table.items('orders')).toEqual([]);
});

test('a table tells its key by the first write that names one, and until then refuses puts', async () => {
  const seed = () => table.seed('cups', { cupId: { S: 'a' }, size: { N: '1' } });
  expect(seed).toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      message: expect.stringContaining('keys: { "cups"'),
    }),
  );
  expect(await table.get('cups', { cupId: { S: 'a' } }, signal)).toBeUndefined();
  seed();
  expect(await table.get('cups', { cupId: { S: 'a' } }, signal)).toMatchObject({ size: { N: '1' } });
});
