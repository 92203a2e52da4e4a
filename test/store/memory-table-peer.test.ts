// The table in memory answers every write as DynamoDB does: dynoxide, which is tested against the real one,
// gets the same random writes, and the two must agree on each answer and on what stands there in the end.
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes, PutStatement, Table, UpdateStatement } from '../../lib/store/table.ts';
import {
  comparable,
  outcomeOf,
  type PeerTable,
  peerTableName,
  startPeerTable,
} from '../support/peer-table.ts';
import { randomWrites } from '../support/random-writes/write.ts';

let peer: PeerTable;
beforeAll(async () => {
  peer = await startPeerTable();
}, 60_000);
afterAll(() => peer.stop());

type Step = readonly ['alone' | 'together', readonly TransactWriteItem[]];

const signal = new AbortController().signal;
let runs = 0;

test('random writes leave the table in memory and a DynamoDB in the same state', {
  timeout: 60_000,
}, async () => {
  const { single, many } = randomWrites((id) => `{run}-${id}`);
  const step: fc.Arbitrary<Step> = fc.oneof(
    single.map((write): Step => ['alone', [write]]),
    many.map((writes): Step => ['together', writes]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const memory = memoryTable({ keys: { [peerTableName]: ['claim'] } });
      const run = String(runs++);
      for (const [how, templates] of steps) {
        const writes = templates.map((write) => inRun(write, run));
        if (writes.some((write) => answersOtherwise(write, memory.items(peerTableName)))) continue;
        const ours = await answer(memory, how, writes);
        // Inside a transaction dynoxide leaves out some checks of a statement by itself. Alone it makes them.
        if (how === 'together' && ours === 'invalid') continue;
        expect(ours).toEqual(await answer(peer, how, writes));
      }
      for (const id of ['a', 'b', 'c']) {
        const key = { claim: { S: `${run}-${id}` } };
        expect(comparable(await memory.get(peerTableName, key, signal))).toEqual(
          comparable(await peer.get(peerTableName, key, signal)),
        );
      }
    }),
    // On a busy machine fewer runs must do.
    { numRuns: 300, interruptAfterTimeLimit: 12_000 },
  );
});

/** Each run has rows of its own, so that a counterexample can be shrunk without emptying the table. */
function inRun<Write extends TransactWriteItem>(write: Write, run: string): Write {
  const copy = structuredClone(write);
  for (const parameters of Object.values(copy)) {
    const row: Attributes = parameters.Item ?? parameters.Key;
    row.claim = { S: String(row.claim?.S).replace('{run}', run) };
  }
  return copy;
}

/**
 * AWS refuses an update of a part where the whole is missing or of another type. dynoxide says that such a
 * removal went well, and where the whole is NULL it makes one. And of two elements removed from one list,
 * AWS counts both in the list as it was, dynoxide the second in what the first removal left.
 */
function answersOtherwise({ Update }: TransactWriteItem, items: readonly Attributes[]): boolean {
  const item = items.find(({ claim }) => claim?.S === Update?.Key?.claim?.S);
  const expression = Update?.UpdateExpression ?? '';
  const removed = /REMOVE (.*?)(?: add | DELETE |$)/.exec(expression)?.[1] ?? '';
  if (item === undefined) return false;
  return (
    removed.split('l[').length > 2 ||
    (removed.includes('l[') && item.l?.L === undefined) ||
    (removed.includes('m.') && item.m?.M === undefined) ||
    (expression.includes('l[') && item.l?.NULL === true) ||
    (expression.includes('m.') && item.m?.NULL === true)
  );
}

function answer(table: Table, how: Step[0], writes: readonly TransactWriteItem[]): Promise<unknown> {
  const [first] = writes;
  if (how === 'together') return outcomeOf(table.transact({ TransactItems: [...writes] }, signal));
  return outcomeOf(
    first?.Put
      ? table.put(first.Put as PutStatement, signal)
      : table.update(first?.Update as UpdateStatement, signal),
  );
}
