import { describe, expect, test } from 'vitest';
import { FencedOutError, TransactionRejectedError } from '../../lib/errors.ts';
import { type CollectedTransaction, createTransaction } from '../../lib/handle/transaction.ts';

const open = () => {};

function collect(claimTable: string | undefined = 'claims'): CollectedTransaction {
  return createTransaction({ claimTable, ensureOpen: open });
}

const key = (id: unknown) => ({ TableName: 'orders', Key: { id } });
const setN = { UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': 1 } };

describe('a transaction', () => {
  test('is handed on in the order of the calls, in the shapes of TransactWriteItems', () => {
    const collected = collect();
    const { put, update, delete: remove, check } = collected.face;
    put({
      TableName: 'orders',
      Item: { id: 'a', total: 12.5 },
      ConditionExpression: 'attribute_not_exists(id)',
    });
    update({ ...key('b'), ...setN, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    remove({
      ...key('c'),
      ConditionExpression: '#s = :s',
      ExpressionAttributeNames: { '#s': 's' },
      ExpressionAttributeValues: { ':s': true },
    });
    check({ ...key('d'), ConditionExpression: 'attribute_exists(id)' });
    expect(collected.size).toBe(4);
    expect(collected.freeze()).toEqual([
      {
        Put: {
          TableName: 'orders',
          Item: { id: { S: 'a' }, total: { N: '12.5' } },
          ConditionExpression: 'attribute_not_exists(id)',
        },
      },
      {
        Update: {
          TableName: 'orders',
          Key: { id: { S: 'b' } },
          UpdateExpression: 'SET n = :n',
          ExpressionAttributeValues: { ':n': { N: '1' } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      {
        Delete: {
          TableName: 'orders',
          Key: { id: { S: 'c' } },
          ConditionExpression: '#s = :s',
          ExpressionAttributeNames: { '#s': 's' },
          ExpressionAttributeValues: { ':s': { BOOL: true } },
        },
      },
      {
        ConditionCheck: {
          TableName: 'orders',
          Key: { id: { S: 'd' } },
          ConditionExpression: 'attribute_exists(id)',
        },
      },
    ]);
  });

  test('keeps what was given, whatever the handler does to it afterwards', () => {
    const collected = collect();
    const bytes = Buffer.from([1, 2]);
    const Item = { id: 'a', lines: [{ sku: 'cup' }], bytes, tags: new Set(['new']) };
    collected.face.put({ TableName: 'orders', Item });
    Item.lines[0] = { sku: 'pot' };
    Item.tags.add('old');
    bytes[0] = 9;
    expect(collected.freeze()).toEqual([
      {
        Put: {
          TableName: 'orders',
          Item: {
            id: { S: 'a' },
            lines: { L: [{ M: { sku: { S: 'cup' } } }] },
            bytes: { B: Uint8Array.from([1, 2]) },
            tags: { SS: ['new'] },
          },
        },
      },
    ]);
  });

  test('leaves empty expression maps out, which DynamoDB would refuse', () => {
    const collected = collect();
    collected.face.delete({
      ...key('a'),
      ExpressionAttributeNames: {},
      ExpressionAttributeValues: { ':n': undefined },
    });
    expect(collected.freeze()).toEqual([{ Delete: { TableName: 'orders', Key: { id: { S: 'a' } } } }]);
  });

  test('takes properties that are undefined as absent', () => {
    const collected = collect();
    collected.face.delete({
      ...key('a'),
      ConditionExpression: undefined,
      ...({ Extra: undefined } as object),
    });
    expect(collected.freeze()).toEqual([{ Delete: { TableName: 'orders', Key: { id: { S: 'a' } } } }]);
  });

  test('that is frozen takes nothing more and stays the same', () => {
    const collected = collect();
    collected.face.delete(key('a'));
    const writes = collected.freeze();
    expect(() => collected.face.delete(key('b'))).toThrow('the attempt has ended');
    expect(collected.freeze()).toBe(writes);
    expect([writes.length, Object.isFrozen(writes)]).toEqual([1, true]);
  });

  test('of an attempt that was told to stop takes nothing, not even to refuse it', () => {
    const fenced = new FencedOutError('over');
    const { face, freeze } = createTransaction({
      claimTable: undefined,
      ensureOpen: () => {
        throw fenced;
      },
    });
    for (const name of ['put', 'update', 'delete', 'check', 'transition'] as const) {
      expect(() => face[name](undefined as never), name).toThrow(fenced);
    }
    expect(freeze()).toEqual([]);
  });
});

describe('a line that could never land is refused there', () => {
  test('the 100th write, because the claim is one of the hundred', () => {
    const collected = collect();
    for (let id = 0; id < 99; id += 1) collected.face.delete(key(id));
    const refused = () => collected.face.delete(key(99));
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow('has 99 writes and DynamoDB takes 100');
    expect(collected.freeze()).toHaveLength(99);
  });

  test.each([
    ['by name', 'claims', 'claims'],
    ['by ARN', 'claims', 'arn:aws:dynamodb:eu-west-1:111122223333:table/claims'],
    ['by name where ours is an ARN', 'arn:aws:dynamodb:eu-west-1:111122223333:table/claims', 'claims'],
  ])('a write to the claim table, %s', (_, claimTable, TableName) => {
    const { face } = collect(claimTable);
    const said = 'names the claim table "claims"';
    expect(() => face.put({ TableName, Item: { claim: 's#k' } })).toThrow(said);
    expect(() => face.delete({ TableName, Key: { claim: 'mine' } })).toThrow(said);
    expect(() =>
      face.transition({ TableName, Key: { claim: 'x' }, attribute: 's', from: null, to: 'a' }),
    ).toThrow(said);
  });

  test('but no table whose name only begins like the claim table', () => {
    const collected = collect('claims');
    collected.face.delete({ TableName: 'claims-2', Key: { id: 1 } });
    expect(collected.size).toBe(1);
  });

  test('more bytes than fit beside the claim, counted as DynamoDB counts', () => {
    const collected = collect();
    const most = 4 * 1_048_576 - 400 * 1_024;
    const item = (id: string, bytes: number) => ({ TableName: 't', Item: { id, v: 'x'.repeat(bytes - 4) } });
    for (let id = 0; id < 9; id += 1) collected.face.put(item(String(id), 400_000));
    expect(() => collected.face.put(item('9', most - 3_600_000 + 1))).toThrow(`would be ${most + 1} bytes`);
    collected.face.put(item('9', most - 3_600_000));
    expect(() => collected.face.delete({ TableName: 't', Key: { id: 'z' } })).toThrow(TypeError);
    expect(collected.size).toBe(10);
  });

  test.each([
    ['no input', undefined, 'given undefined'],
    ['a null', null, 'given null'],
    ['no table', { Key: { id: 1 } }, 'TableName is missing'],
    ['a blank table', { TableName: ' ', Key: { id: 1 } }, 'TableName is blank'],
    ['no key', { TableName: 'orders' }, 'Key is undefined'],
    ['an empty key', { TableName: 'orders', Key: {} }, 'Key has 0 attributes'],
    ['a key of three', { TableName: 'orders', Key: { a: 1, b: 2, c: 3 } }, 'Key has 3 attributes'],
    ['an empty string as key', key(''), 'Key.id is empty'],
    ['no bytes as key', key(new Uint8Array()), 'Key.id is empty'],
    ['a raw key', key({ S: 'a' }), "give native values, 'A-17' and not { S: 'A-17' }"],
    [
      'an unknown property',
      { ...key(1), Expected: {} },
      'no property "Expected"; it has Key, TableName, Cond',
    ],
    ['an item for a delete', { ...key(1), Item: {} }, 'no property "Item"'],
    ['a blank condition', { ...key(1), ConditionExpression: '' }, 'ConditionExpression is blank'],
    ['a condition that is no text', { ...key(1), ConditionExpression: 1 }, 'ConditionExpression is a number'],
    [
      'another return value',
      { ...key(1), ReturnValuesOnConditionCheckFailure: 'NEW' },
      "give 'ALL_OLD' or 'NONE'",
    ],
    ['a name that is no text', { ...key(1), ExpressionAttributeNames: { '#a': 1 } }, 'no string'],
    ['a number of 39 digits', key(10n ** 39n + 1n), 'none DynamoDB takes'],
  ])('%s', (_, input, said) => {
    const { face, freeze } = collect();
    const refused = () => face.delete(input as never);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(said);
    expect(freeze()).toEqual([]);
  });

  test('an update without its expression, a check without its condition, a put without its item', () => {
    const { face } = collect();
    expect(() => face.update(key(1) as never)).toThrow('transaction.update: UpdateExpression is missing');
    expect(() => face.check(key(1) as never)).toThrow('transaction.check: ConditionExpression is missing');
    expect(() => face.put({ TableName: 'orders' } as never)).toThrow('transaction.put: Item is undefined');
  });
});

describe('a second write to one item is refused', () => {
  test.each([
    ['the same text', { id: 'a' }, { id: 'a' }],
    ['another order of attributes', { pk: 'a', sk: 1 }, { sk: 1, pk: 'a' }],
    ['a number and a bigint', { id: 1 }, { id: 1n }],
    ['a number spelled otherwise', { id: 1200 }, { id: wrapped('1.20e3') }],
    ['minus nought', { id: 0 }, { id: -0 }],
    ['bytes in another class', { id: Buffer.from('ab') }, { id: new TextEncoder().encode('ab') }],
  ])('by %s', (_, one, other) => {
    const { face } = collect();
    face.update({ TableName: 'orders', Key: one, ...setN });
    const refused = () => face.check({ TableName: 'orders', Key: other, ConditionExpression: 'n = n' });
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow('write 0 (update in "orders") and write 1 (check in "orders") are on one item');
  });

  test.each([
    ['another text', { id: 'a' }, { id: 'b' }],
    ['a text and a number spelled alike', { id: '1' }, { id: 1 }],
    ['text that is composed differently', { id: '\u00e4' }, { id: 'a\u0308' }],
    ['bytes and text', { id: Buffer.from('a') }, { id: 'a' }],
    ['another sort key', { pk: 'a', sk: 1 }, { pk: 'a', sk: 2 }],
    ['attributes swapped', { pk: 'a', sk: 'b' }, { pk: 'b', sk: 'a' }],
  ])('but not %s', (_, one, other) => {
    const collected = collect();
    collected.face.delete({ TableName: 'orders', Key: one });
    collected.face.delete({ TableName: 'orders', Key: other });
    collected.face.delete({ TableName: 'returns', Key: one });
    expect(collected.size).toBe(3);
  });

  test('by name and by ARN of one table', () => {
    const { face } = collect();
    face.delete(key('a'));
    const arn = 'arn:aws-cn:dynamodb:cn-north-1:111122223333:table/orders';
    expect(() => face.delete({ TableName: arn, Key: { id: 'a' } })).toThrow('are on one item');
  });

  test('when a put is followed by a write that states the key, and the other way round', () => {
    const after = collect().face;
    after.put({ TableName: 'orders', Item: { id: 'a', total: 1 } });
    expect(() => after.delete(key('a'))).toThrow(
      'write 0 (put in "orders") and write 1 (delete in "orders")',
    );
    const before = collect().face;
    before.delete(key('a'));
    expect(() => before.put({ TableName: 'orders', Item: { total: 1, id: 'a' } })).toThrow('are on one item');
  });

  test('of two puts as soon as the table shows its key; before that only DynamoDB knows', () => {
    const collected = collect();
    collected.face.put({ TableName: 'orders', Item: { id: 'a', total: 1 } });
    collected.face.put({ TableName: 'orders', Item: { id: 'a', total: 2 } });
    expect(() => collected.face.delete(key('b'))).toThrow(
      'write 0 (put in "orders") and write 1 (put in "orders") are on one item',
    );
    expect(collected.size).toBe(2);
  });

  test('and the line that was refused leaves nothing behind', () => {
    const collected = collect();
    collected.face.delete(key('a'));
    expect(() => collected.face.delete(key('a'))).toThrow();
    collected.face.delete(key('b'));
    expect(collected.freeze()).toHaveLength(2);
  });

  test('without telling the key', () => {
    const { face } = collect();
    face.delete(key('secret-17'));
    expect(() => face.delete(key('secret-17'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret-17') }),
    );
  });
});

describe("a refused condition of the user's own", () => {
  test('is a failure that names every refused write and hands over the old items as native values', () => {
    const collected = collect();
    collected.face.put({ TableName: 'orders', Item: { id: 'a' } });
    collected.face.update({ ...key('b'), ...setN });
    collected.face.check({ ...key('c'), ConditionExpression: 'n = n' });
    const judgement = collected.judge([
      { index: 1, item: { id: { S: 'b' }, n: { N: '12345678901234567890' }, when: { L: [{ N: '1.5' }] } } },
      { index: 2, item: undefined },
    ]);
    const error = new TransactionRejectedError(
      'nothing of the transaction was applied: the condition of write 1 (update in "orders"), write 2 (check in "orders") did not hold',
      [{ index: 1, item: undefined }],
    );
    expect(judgement).toEqual({ status: 'condition', error });
    expect(judgement.status === 'condition' && judgement.error).toMatchObject({
      index: 1,
      item: { id: 'b', n: 12345678901234567890n, when: [1.5] },
      failures: [{ index: 1 }, { index: 2, item: undefined }],
    });
  });

  test('hands over an item that came native as it is', () => {
    const collected = collect();
    collected.face.delete(key('a'));
    const item = { id: 'a', size: { S: 'small' } };
    const judgement = collected.judge([{ index: 0, item }]);
    expect(judgement.status === 'condition' && judgement.error.item).toEqual(item);
  });
});

/** A number as another copy of the SDK wraps it. */
function wrapped(value: string): object {
  class NumberValue {
    value = value;
    toBigInt() {
      return BigInt(value);
    }
  }
  return new NumberValue();
}
