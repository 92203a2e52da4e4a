import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { startDynoxide } from '../../lib/local/dynoxide.ts';
import { createTable } from '../../lib/local/tables.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';

export const peerTableName = 'peers';

/** A table of the local DynamoDB, its key `claim`, to compare the one in memory with. */
export interface PeerTable extends Table {
  stop(): Promise<void>;
}

export async function startPeerTable(): Promise<PeerTable> {
  const emulator = await startDynoxide();
  const client = new DynamoDBClient({
    endpoint: emulator.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await createTable(client, peerTableName, 'claim');
  return {
    put: async (statement) => void (await client.send(new PutItemCommand(statement))),
    update: async (statement) => void (await client.send(new UpdateItemCommand(statement))),
    transact: async (statement) => void (await client.send(new TransactWriteItemsCommand(statement))),
    get: async (TableName, Key) => (await client.send(new GetItemCommand({ TableName, Key }))).Item,
    async stop() {
      client.destroy();
      await emulator.stop();
    },
  };
}

/** What a call came to: `done`, `invalid`, or who refused it and with which items. */
export async function outcomeOf(call: Promise<void>): Promise<unknown> {
  try {
    await call;
    return 'done';
  } catch (error) {
    const { name, Item, CancellationReasons } = error as Refusal;
    if (name === 'ValidationException') return 'invalid';
    const reasons = CancellationReasons?.map((reason) => ({ ...reason, Item: comparable(reason.Item) }));
    return { name, item: comparable(Item), reasons: reasons?.map(({ Code, Item }) => ({ Code, Item })) };
  }
}

interface Refusal {
  readonly name: string;
  readonly Item?: Attributes;
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Attributes }[];
}

/** Sets have no order, and binaries come as whatever kind of bytes. */
export function comparable(item: Attributes | undefined): Record<string, unknown> | undefined {
  return (
    item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, comparableValue(value)]))
  );
}

function comparableValue(value: AttributeValue): unknown {
  if (value.SS) return { SS: [...value.SS].sort() };
  if (value.NS) return { NS: [...value.NS].sort() };
  if (value.BS) return { BS: value.BS.map((bytes) => Buffer.from(bytes).toString('hex')).sort() };
  if (value.B) return { B: Buffer.from(value.B).toString('hex') };
  if (value.L) return { L: value.L.map(comparableValue) };
  return value.M ? { M: comparable(value.M) } : value;
}
