// The table in memory gives DynamoDB's answers, also where the local DynamoDB gives others: a unit test that
// passes here must not fail on AWS for a reason it could have seen.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { type MemoryTable, memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes, UpdateStatement } from '../../lib/store/table.ts';

const signal = new AbortController().signal;
const key = { orderId: { S: 'one' } };
let table: MemoryTable;

beforeEach(() => {
  table = memoryTable({ keys: { orders: ['orderId'] } });
});

interface Written {
  readonly Key?: Attributes;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly values?: Attributes | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

function update({ values, ...written }: Written): Promise<void> {
  const statement = { TableName: 'orders', Key: key, UpdateExpression: 'REMOVE nothing', ...written };
  // AWS needs neither a condition nor placeholders; the store's own statements always have them.
  return table.update(
    { ...statement, ...(values && { ExpressionAttributeValues: values }) } as UpdateStatement,
    signal,
  );
}

const stored = (): Attributes | undefined => table.items('orders')[0];
const invalid = (message: string) =>
  expect.objectContaining({ name: 'ValidationException', message: expect.stringContaining(message) });
const list = (...values: readonly number[]): AttributeValue => ({
  L: values.map((value) => ({ N: String(value) })),
});

test('a refused condition changes nothing and tells the old item when asked', async () => {
  table.seed('orders', { ...key, sold: { N: '5' } });
  const refused = {
    ConditionExpression: 'sold > :most',
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

test.each(['1e126', '1e-131', '1'.repeat(39), 'one', '', ' 1'])(
  '%j is no number that can be stored',
  async (N) => {
    expect(() => table.seed('orders', { ...key, sold: { N } })).toThrow(invalid(''));
  },
);

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

test.each([
  'SET lost.city = :n',
  'SET note.city = :n',
  'SET lost[0] = :n',
  'REMOVE lost.city',
  'REMOVE note[0]',
])('%s is refused where there is no such whole', async (UpdateExpression) => {
  table.seed('orders', { ...key, note: { NULL: true } });
  const values = UpdateExpression.includes(':n') ? { values: { ':n': { N: '1' } } } : {};
  await expect(update({ UpdateExpression, ...values })).rejects.toEqual(invalid('document path'));
});

test('removing a part of an item that is not there is no mistake', async () => {
  await update({ UpdateExpression: 'REMOVE lost.city' });
  expect(stored()).toEqual(key);
});

test.each([
  [{ UpdateExpression: 'SET status = :n' }, 'reserved keyword: status'],
  [{ UpdateExpression: 'SET a = LIST_APPEND(a, :n)' }, 'Invalid function name'],
  [{ UpdateExpression: 'SET a = :n, a.b = :n' }, 'overlap'],
  [{ UpdateExpression: 'SET a.b = :n, a[0] = :n' }, 'conflict'],
  [{ UpdateExpression: 'SET a = :n SET b = :n' }, 'can only be used once'],
  [{ UpdateExpression: 'SET a = :n + :n + :n' }, 'Syntax error'],
  [{ UpdateExpression: 'SET orderId = :n' }, 'part of the key'],
  [{ UpdateExpression: 'SET a = lost + :n' }, 'does not exist in the item'],
  [{ UpdateExpression: 'SET a = :lost' }, 'not defined; attribute value: :lost'],
  [{ UpdateExpression: 'SET #lost = :n' }, 'not defined; attribute name: #lost'],
  [{ UpdateExpression: 'REMOVE a' }, 'unused in expressions: keys: {:n}'],
  [{ UpdateExpression: '' }, 'can not be empty'],
  [{ ConditionExpression: '((a = :n))' }, 'redundant parentheses'],
  [{ ConditionExpression: 'a = :n AND' }, 'Syntax error'],
  [{ ConditionExpression: 'a < :list', values: { ':list': { L: [] } } }, 'Incorrect operand type'],
  [{ ConditionExpression: 'a BETWEEN :n AND :s', values: { ':n': { N: '1' }, ':s': { S: '' } } }, 'BETWEEN'],
  [{ ConditionExpression: 'size(a)', values: undefined }, 'Syntax error'],
  [{ ConditionExpression: 'a = if_not_exists(a, :n)' }, 'not allowed to be used this way'],
  [{ ConditionExpression: 'contains(#a, a)', ExpressionAttributeNames: { '#a': 'a' } }, 'must be distinct'],
  [{ ConditionExpression: 'attribute_exists(:n)' }, 'document path'],
  [{ ConditionExpression: 'attribute_type(a, :n)', values: { ':n': { S: 'X' } } }, 'attribute type'],
  [{ Key: { orderId: { S: '' } }, UpdateExpression: 'SET a = :n' }, 'empty string'],
  [{ Key: { ...key, cup: { S: 'a' } }, UpdateExpression: 'SET a = :n' }, 'does not match the schema'],
  [{ Key: { order: { S: 'one' } }, UpdateExpression: 'SET a = :n' }, 'does not match the schema'],
] as [Written, string][])('%j is refused as AWS refuses it', async (written, message) => {
  await expect(update({ values: { ':n': { N: '1' } }, ...written })).rejects.toEqual(invalid(message));
  expect(table.items('orders')).toEqual([]);
});

test('an item larger than 400 KB is refused, put or updated', async () => {
  const filler = (bytes: number) => ({ ...key, note: { S: 'é'.repeat(bytes / 2) } });
  const rest = 'orderId'.length + 'one'.length + 'note'.length;
  table.seed('orders', filler(400 * 1_024 - rest));
  expect(() => table.seed('orders', filler(400 * 1_024 - rest + 2))).toThrow(invalid('Item size'));
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
