// The table in memory answers every write as DynamoDB does: dynoxide, which is tested against the real one,
// gets the same random writes, and the two must agree on each answer and on what stands there in the end.
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDynoxide } from '../../lib/local/dynoxide.ts';
import type { Emulator } from '../../lib/local/emulator.ts';
import { createTable } from '../../lib/local/tables.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { Attributes, PutStatement, Table, UpdateStatement } from '../../lib/store/table.ts';
import { randomWrites } from '../support/random-writes/write.ts';

let emulator: Emulator;
let client: DynamoDBClient;

beforeAll(async () => {
  emulator = await startDynoxide();
  client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await createTable(client, 'peers', 'claim');
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

const peer: Table = {
  put: async (statement) => void (await client.send(new PutItemCommand(statement))),
  update: async (statement) => void (await client.send(new UpdateItemCommand(statement))),
  transact: async (statement) => void (await client.send(new TransactWriteItemsCommand(statement))),
  get: async (TableName, Key) => (await client.send(new GetItemCommand({ TableName, Key }))).Item,
};

type Step = readonly ['alone' | 'together', readonly TransactWriteItem[]];

const signal = new AbortController().signal;
let runs = 0;

test('random writes leave the table in memory and a DynamoDB in the same state', async () => {
  const { single, many } = randomWrites((id) => `{run}-${id}`);
  const step: fc.Arbitrary<Step> = fc.oneof(
    single.map((write): Step => ['alone', [write]]),
    many.map((writes): Step => ['together', writes]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const memory = memoryTable({ keys: { peers: ['claim'] } });
      const run = String(runs++);
      for (const [how, templates] of steps) {
        const writes = templates.map((write) => inRun(write, run));
        if (writes.some((write) => answersOtherwise(write, memory.items('peers')))) continue;
        const ours = await answer(memory, how, writes);
        // Inside a transaction dynoxide leaves out some checks of a statement by itself. Alone it makes them.
        if (how === 'together' && ours === 'invalid') continue;
        expect(ours).toEqual(await answer(peer, how, writes));
      }
      for (const id of ['a', 'b', 'c']) {
        const key = { claim: { S: `${run}-${id}` } };
        expect(comparable(await memory.get('peers', key, signal))).toEqual(
          comparable(await peer.get('peers', key, signal)),
        );
      }
    }),
    { numRuns: 500 },
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
 * removal went well, and where the whole is NULL it makes one.
 */
function answersOtherwise({ Update }: TransactWriteItem, items: readonly Attributes[]): boolean {
  const item = items.find(({ claim }) => claim?.S === Update?.Key?.claim?.S);
  const expression = Update?.UpdateExpression ?? '';
  const removed = /REMOVE (.*?)(?: add | DELETE |$)/.exec(expression)?.[1] ?? '';
  if (item === undefined) return false;
  return (
    (removed.includes('l[') && item.l?.L === undefined) ||
    (removed.includes('m.') && item.m?.M === undefined) ||
    (expression.includes('l[') && item.l?.NULL === true) ||
    (expression.includes('m.') && item.m?.NULL === true)
  );
}

async function answer(table: Table, how: Step[0], writes: readonly TransactWriteItem[]): Promise<unknown> {
  try {
    const [first] = writes;
    if (how === 'together') await table.transact({ TransactItems: [...writes] }, signal);
    else if (first?.Put) await table.put(first.Put as PutStatement, signal);
    else await table.update(first?.Update as UpdateStatement, signal);
    return 'done';
  } catch (error) {
    return refusal(error as { name: string; Item?: Attributes; CancellationReasons?: readonly Reason[] });
  }
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Attributes;
}

function refusal(error: {
  name: string;
  Item?: Attributes;
  CancellationReasons?: readonly Reason[];
}): unknown {
  if (error.name === 'ValidationException') return 'invalid';
  const reasons = error.CancellationReasons?.map(({ Code, Item }) => ({ Code, item: comparable(Item) }));
  return { name: error.name, item: comparable(error.Item), reasons };
}

/** Sets have no order, and binaries come as whatever kind of bytes. */
function comparable(item: Attributes | undefined): unknown {
  return (
    item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, comparableValue(value)]))
  );
}

function comparableValue(value: AttributeValue): unknown {
  if (value.SS ?? value.NS) return { set: [...(value.SS ?? value.NS ?? [])].sort() };
  if (value.BS) return { set: value.BS.map((bytes) => Buffer.from(bytes).toString('hex')).sort() };
  if (value.B) return { bytes: Buffer.from(value.B).toString('hex') };
  if (value.L) return { L: value.L.map(comparableValue) };
  return value.M ? { M: comparable(value.M) } : value;
}
