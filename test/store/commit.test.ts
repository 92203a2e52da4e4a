// One transaction of the claim and the user's writes: what is sent, and what a cancellation says slot by slot.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCancellation } from '../../lib/store/cancellation.ts';
import { commitStatement } from '../../lib/store/commit.ts';
import { settleStatement } from '../../lib/store/settle.ts';
import type { TransactionWrite } from '../../lib/store/writes.ts';
import type { ClaimRef } from '../../lib/words.ts';
import { settlement } from '../support/claims.ts';
import { awsError } from '../support/faulty-table.ts';

const writes: readonly TransactionWrite[] = [
  { Put: { TableName: 'orders', Item: { id: { S: 'a' } } } },
  { Delete: { TableName: 'orders', Key: { id: { S: 'b' } } } },
];
const statementOf = (claim: ClaimRef) =>
  commitStatement(claim, { Update: settleStatement('claims', claim, settlement) }, writes);
const tokenOf = (claim: ClaimRef) => statementOf(claim).ClientRequestToken;

describe('the request', () => {
  test("starts with the claim's own write; the user's follow in their order", () => {
    const [own, ...users] = statementOf({ rowKey: 'scope#key', fence: 1, owner: 'a' }).TransactItems;
    expect(own?.Update).toMatchObject({ TableName: 'claims', Key: { claim: { S: 'scope#key' } } });
    expect(users).toEqual(writes);
  });

  test('has one token, however often it is made and whatever it carries', () => {
    const claim = { rowKey: 'scope#key', fence: 1, owner: 'a' };
    expect(tokenOf({ ...claim })).toBe(tokenOf(claim));
    expect(
      commitStatement(claim, { Update: settleStatement('claims', claim, settlement) }, []).ClientRequestToken,
    ).toBe(tokenOf(claim));
  });

  test('of another attempt or message has another token, all of them of 1 to 36 characters', () => {
    const claim = fc.record({
      rowKey: fc.oneof(fc.constantFrom('a', 'b'), fc.string({ minLength: 1, maxLength: 1_025 })),
      fence: fc.integer({ min: 1, max: 3 }),
      owner: fc.constantFrom('a', 'b', 'a'.repeat(100)),
    });
    fc.assert(
      fc.property(claim, claim, (one, other) => {
        const same = one.rowKey === other.rowKey && one.fence === other.fence && one.owner === other.owner;
        expect(tokenOf(one) === tokenOf(other)).toBe(same);
        expect(tokenOf(one)).toMatch(/^[\w-]{1,36}$/);
      }),
    );
  });
});

const none = { Code: 'None' };
const conflict = { Code: 'TransactionConflict' };
const throttled = { Code: 'ThrottlingError' };
const invalid = {
  Code: 'ValidationError',
  Message: 'Item size to update has exceeded the maximum allowed size',
};
const refused = (id?: string) => ({
  Code: 'ConditionalCheckFailed',
  ...(id === undefined ? {} : { Item: { id: { S: id } } }),
});

function read(...CancellationReasons: readonly { Code?: string }[]) {
  return readCancellation(Object.assign(awsError('TransactionCanceledException'), { CancellationReasons }));
}

describe('a cancellation', () => {
  test.each([
    ['our slot refused', [refused('x'), none], { status: 'own-refused', item: { id: { S: 'x' } } }],
    ['our slot refused, without the item', [refused(), none], { status: 'own-refused', item: undefined }],
    [
      'our slot and the user’s',
      [refused('x'), refused('y')],
      { status: 'own-refused', item: { id: { S: 'x' } } },
    ],
    [
      'our slot beside a conflict',
      [refused('x'), conflict],
      { status: 'own-refused', item: { id: { S: 'x' } } },
    ],
    [
      "the user's second",
      [none, none, refused('y')],
      { status: 'rejected', failures: [{ index: 1, item: { id: { S: 'y' } } }] },
    ],
    [
      "several of the user's, some without the item",
      [none, refused(), none, refused('z')],
      {
        status: 'rejected',
        failures: [
          { index: 0, item: undefined },
          { index: 2, item: { id: { S: 'z' } } },
        ],
      },
    ],
    [
      "the user's beside a conflict",
      [conflict, refused('y')],
      { status: 'rejected', failures: [{ index: 0, item: { id: { S: 'y' } } }] },
    ],
    ['a write that can never be', [none, invalid], { status: 'impossible' }],
    ['a write that can never be beside a conflict', [conflict, invalid], { status: 'impossible' }],
    [
      'a collection that is full',
      [none, { Code: 'ItemCollectionSizeLimitExceeded' }],
      { status: 'impossible' },
    ],
    ['a conflict', [conflict, none], { status: 'busy' }],
    ['a throttled table', [none, throttled], { status: 'busy' }],
    ['a table out of capacity', [{ Code: 'ProvisionedThroughputExceeded' }, none], { status: 'busy' }],
    ['a code nobody knows', [none, { Code: 'Tuesday' }], { status: 'busy' }],
    ['no code', [{}, {}], { status: 'busy' }],
    ['no reasons', [], { status: 'busy' }],
  ])('says: %s', (_, reasons, expected) => {
    expect(read(...reasons)).toEqual(expected);
  });

  test('without a list of reasons decides nothing', () => {
    expect(readCancellation(awsError('TransactionCanceledException'))).toEqual({ status: 'busy' });
  });

  test.each([awsError('ValidationException'), awsError('TransactionConflictException'), undefined, 'no'])(
    'is not read into %s',
    (error) => {
      expect(readCancellation(error)).toBeUndefined();
    },
  );
});
