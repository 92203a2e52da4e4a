// Every operator over every pair of values: the table in memory and dynoxide, which is tested against the real
// DynamoDB, must say the same about each.
import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryTable, memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes, Table, UpdateStatement } from '../../lib/store/table.ts';
import {
  comparable,
  outcomeOf,
  type PeerTable,
  peerTableName,
  startPeerTable,
} from '../support/peer-table.ts';

const signal = new AbortController().signal;
const bytes = (...values: number[]) => Uint8Array.from(values);

const values: readonly (AttributeValue | undefined)[] = [
  undefined,
  ...['', 'a', 'ab', 'ba', '1', '😀', '\uffff'].map((S) => ({ S })),
  ...['0', '1', '1.0', '2', '-1', '9007199254740992', '9007199254740993', '0.1'].map((N) => ({ N })),
  ...[bytes(), bytes(97), bytes(97, 98), bytes(255)].map((B) => ({ B })),
  { BOOL: true },
  { BOOL: false },
  { NULL: true },
  ...[['a'], ['1', 'a'], ['a', '1']].map((SS) => ({ SS })),
  ...[['1'], ['2', '1']].map((NS) => ({ NS })),
  { BS: [bytes(97)] },
  ...[[], [{ S: 'a' }], [{ N: '1' }, { S: 'a' }], [{ S: 'a' }, { N: '1' }]].map((L) => ({ L })),
  ...[{}, { x: { S: 'a' } }, { x: { N: '1' } }, { x: { N: '1' }, y: { S: 'a' } }].map((M) => ({ M })),
];

let peer: PeerTable;
let memory: MemoryTable;
let pairs: readonly Attributes[];

beforeAll(async () => {
  peer = await startPeerTable();
  memory = memoryTable({ keys: { [peerTableName]: ['claim'] } });
  pairs = values.flatMap((a, first) =>
    values.map((b, second) => ({ claim: { S: `${first} ${second}` }, ...pair(a, b) })),
  );
  for (const items of hundreds(pairs)) {
    const puts = items.map((Item): TransactWriteItem => ({ Put: { TableName: peerTableName, Item } }));
    await Promise.all([peer, memory].map((table) => table.transact({ TransactItems: puts }, signal)));
  }
}, 60_000);
afterAll(() => peer.stop());

/** `a` and `b`, copies of `a` for the updates that change it, and both once more inside others. */
function pair(a: AttributeValue | undefined, b: AttributeValue | undefined): Attributes {
  return {
    ...(a && { a, grown: a, shrunk: a, cups: { L: [a, { S: 'last' }] } }),
    ...(b && { b, whole: { M: { b } } }),
  };
}

function* hundreds<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let start = 0; start < all.length; start += 100) yield all.slice(start, start + 100);
}

test.each([
  'a = b',
  'a <> b',
  'a < b',
  'a <= b',
  'a > b',
  'a >= b',
  'a BETWEEN b AND b',
  'a IN (b)',
  'contains(a, b)',
  'begins_with(a, b)',
  'size(a) = b',
  'size(a) < size(b)',
  'contains(cups[0], whole.b)',
  'contains(cups, b)',
  'NOT a < b AND NOT b < a',
  'a < b OR b < a AND size(a) > size(b)',
])('%s holds for the same pairs', async (ConditionExpression) => {
  for (const items of hundreds(pairs)) {
    const TransactItems = items.map(({ claim }): TransactWriteItem => {
      const Key = { claim } as Attributes;
      return {
        ConditionCheck: { TableName: peerTableName, Key, ConditionExpression },
      };
    });
    const [ours, theirs] = await Promise.all(
      [memory, peer].map((table) => outcomeOf(table.transact({ TransactItems }, signal))),
    );
    expect(ours).toEqual(theirs);
  }
});

/** Pairs that an update may make something of: some sums, sets and lists, and one of the rest. */
function updatable(): readonly Attributes[] {
  const isFit = (value: AttributeValue | undefined) =>
    value === undefined ||
    (value.SS ?? value.NS ?? value.BS ?? value.L) !== undefined ||
    ['a', '1', '-1', '9007199254740993', '0.1'].includes(value.S ?? value.N ?? '');
  return pairs.filter(({ a, b }) => isFit(a) && isFit(b));
}

test.each(['SET c = a + b', 'SET c = a - b', 'SET c = list_append(a, b)', 'SET c = if_not_exists(a, b)'])(
  '%s makes the same of each pair',
  async (UpdateExpression) => {
    await Promise.all(updatable().map(({ claim }) => sameUpdate({ claim } as Attributes, UpdateExpression)));
  },
);

test.each(['ADD grown :b', 'DELETE shrunk :b'])(
  '%s makes the same of each pair',
  async (UpdateExpression) => {
    await Promise.all(
      updatable().map(
        ({ claim, b }) => b && sameUpdate({ claim } as Attributes, UpdateExpression, { ':b': b }),
      ),
    );
  },
);

async function sameUpdate(Key: Attributes, UpdateExpression: string, given?: Attributes): Promise<void> {
  const statement = {
    TableName: peerTableName,
    Key,
    UpdateExpression,
    ...(given && { ExpressionAttributeValues: given }),
  } as UpdateStatement;
  const after = async (table: Table) => ({
    outcome: await outcomeOf(table.update(statement, signal)),
    item: comparable(await table.get(peerTableName, Key, signal)),
  });
  const [ours, theirs] = await Promise.all([memory, peer].map(after));
  expect(ours).toEqual(theirs);
}
