import { claimStore } from '../../lib/store/claim-store.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { itemToRow, rowToItem } from '../../lib/store/row-codec.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { handClock } from './hand-clock.ts';

/** A store over a table of its own, which a twin may stand before. Time stands still in it. */
export interface Lab {
  readonly store: ClaimStore;
  item(rowKey: string): Attributes | undefined;
  row(rowKey: string): ClaimRow | undefined;
  /** Ids of the user's table `orders`, which `id` is the key of. */
  orders(): readonly string[];
  seed(row: ClaimRow | Attributes): void;
  sweep(rowKey: string): Promise<void>;
}

export type Twin = (table: Table) => Table;

/** No twin: the product's own statements, as they are. */
export const product: Twin = (table) => table;

const signal = new AbortController().signal;

export function lab(twin: Twin = product): Lab {
  const memory = memoryTable({ keys: { claims: ['claim'], orders: ['id'] } });
  const item = (rowKey: string) => memory.items('claims').find(({ claim }) => claim?.S === rowKey);
  return {
    store: claimStore(twin(memory), 'claims', handClock().ambient),
    item,
    row(rowKey) {
      const found = item(rowKey);
      return found && itemToRow(found);
    },
    orders: () => memory.items('orders').map(({ id }) => id?.S ?? ''),
    seed: (row) =>
      memory.seed('claims', typeof row.claim === 'string' ? rowToItem(row as ClaimRow) : (row as Attributes)),
    sweep: (rowKey) =>
      memory.transact(
        { TransactItems: [{ Delete: { TableName: 'claims', Key: { claim: { S: rowKey } } } }] },
        signal,
      ),
  };
}

/** A table that keeps its requests, so that each can be made once more. */
export function recording(table: Table, requests: (() => Promise<unknown>)[]): Table {
  const kept = <Statement>(make: (statement: Statement, signal: AbortSignal) => Promise<void>) => {
    return (statement: Statement) => {
      requests.push(() => make(statement, signal));
      return make(statement, signal);
    };
  };
  return { ...table, put: kept(table.put), update: kept(table.update), transact: kept(table.transact) };
}
