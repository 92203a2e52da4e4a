import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Attributes, Table } from '../table.ts';
import { conditionFailed, refuseAborted } from './dynamo-error.ts';
import { refuseOtherKey, rowIdOf, TableKeys } from './keys.ts';
import { Rows } from './rows.ts';
import { Transactions } from './transaction.ts';
import { itemFrom, itemToAttributes } from './value.ts';
import { locate, readWrite, runWrite } from './write.ts';

export interface MemoryTableOptions {
  /**
   * Each table's key attributes, by the table's name. A table that is not stated here has the key of the
   * first update, delete, check or read that names it; a put to a table whose key nobody knows is refused.
   * @default {}
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

/** Tables in memory, with a look inside for tests. */
export interface MemoryTable extends Table {
  /** Copies of a table's items, in the order in which they came. */
  items(tableName: string): readonly Attributes[];
  /** Puts an item, whatever stood there. */
  seed(tableName: string, item: Attributes): void;
}

/**
 * DynamoDB's writes in memory: the same statements, conditions, updates, transactions, limits and errors,
 * without the client. Each call does all its work before it first gives way, so calls never interleave.
 *
 * What it leaves out: secondary indexes, the types of key attributes, capacity, and conflicts with
 * transactions in the air. Nothing expires; a row's TTL is an attribute like any other.
 */
export function memoryTable(options: MemoryTableOptions = {}): MemoryTable {
  const keys = new TableKeys(options.keys ?? {});
  const rows = new Rows();
  const transactions = new Transactions(rows, keys);

  function write(action: TransactWriteItem): void {
    const parsed = readWrite(action);
    const rowId = locate(parsed, keys);
    const outcome = runWrite(parsed, rows.get(parsed.tableName, rowId));
    if (outcome.status === 'refused') throw conditionFailed(outcome.old);
    rows.set(parsed.tableName, rowId, outcome.item);
  }

  return {
    async put(statement, signal) {
      refuseAborted(signal);
      write({ Put: statement });
    },
    async update(statement, signal) {
      refuseAborted(signal);
      write({ Update: statement });
    },
    async transact(statement, signal) {
      refuseAborted(signal);
      transactions.run(statement);
    },
    async get(tableName, key, signal) {
      refuseAborted(signal);
      const attributes = itemFrom(key);
      keys.learn(tableName, attributes);
      const names = keys.of(tableName);
      refuseOtherKey(attributes, names);
      const item = rows.get(tableName, rowIdOf(attributes, names));
      return item === undefined ? undefined : itemToAttributes(item);
    },
    items: (tableName) => rows.all(tableName).map(itemToAttributes),
    seed: (tableName, item) => write({ Put: { TableName: tableName, Item: item } }),
  };
}
