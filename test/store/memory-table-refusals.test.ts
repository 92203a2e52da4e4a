// What AWS refuses, the table in memory refuses, also what the local DynamoDB lets pass.
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
const invalid = (message: string) =>
  expect.objectContaining({ name: 'ValidationException', message: expect.stringContaining(message) });

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
  [
    { UpdateExpression: 'SET a = list_append(list_append(a, :l), :l)', values: { ':l': { L: [] } } },
    'not allowed',
  ],
  [{ UpdateExpression: 'SET a = a + :s', values: { ':s': { S: '1' } } }, 'Incorrect operand type'],
  [{ UpdateExpression: 'ADD a :s', values: { ':s': { S: '1' } } }, 'Incorrect operand type'],
  [
    { UpdateExpression: 'SET a = :s', values: { ':s': { S: '1', N: '1' } as never } },
    'more than one datatypes',
  ],
  [{ UpdateExpression: 'SET a = :s', values: { ':s': { NULL: false } } }, 'value of true'],
  [{ UpdateExpression: 'SET a = :s', values: { s: { S: '1' } } }, 'contains invalid key'],
  [{ UpdateExpression: 'REMOVE a', values: {} }, 'must not be empty'],
  [{ UpdateExpression: 'REMOVE a', values: undefined, ExpressionAttributeNames: {} }, 'must not be empty'],
  [{ ConditionExpression: 'a BETWEEN :l AND b', values: { ':l': { L: [] } } }, 'Incorrect operand type'],
  [{ ConditionExpression: 'size(:n) = a' }, 'Incorrect operand type'],
  [{ ConditionExpression: 'size(size(a)) = :n' }, 'not allowed'],
  [{ ConditionExpression: `a IN (${Array(100).fill(':n').join(', ')})` }, 'number of operands'],
] as [Written, string][])('%j is refused as AWS refuses it', async (written, message) => {
  await expect(update({ values: { ':n': { N: '1' } }, ...written })).rejects.toEqual(invalid(message));
  expect(table.items('orders')).toEqual([]);
});

test.each(['1e126', '1e-131', '1'.repeat(39), 'one', '', ' 1'])(
  '%j is no number that can be stored',
  async (N) => {
    expect(() => table.seed('orders', { ...key, sold: { N } })).toThrow(invalid(''));
  },
);

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

test('32 lists inside each other are too many', () => {
  const nested = (depth: number): Attributes[string] => ({ L: depth === 1 ? [] : [nested(depth - 1)] });
  table.seed('orders', { ...key, cups: nested(31) });
  expect(() => table.seed('orders', { ...key, cups: nested(32) })).toThrow(invalid('Nesting Levels'));
});

test('a read names the whole key and nothing else', async () => {
  const other = { ...key, cup: { S: 'a' } };
  await expect(table.get('orders', other, signal)).rejects.toEqual(invalid('does not match the schema'));
});
