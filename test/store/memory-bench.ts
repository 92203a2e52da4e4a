import { ambientWithClock } from '../../lib/ambient.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import { memoryClaimsIn } from '../../lib/store/memory.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';
import { nowMillis } from '../support/claims.ts';
import { awsError, faultyTable, hang, type TableCall } from '../support/faulty-table.ts';
import type { Bench } from './bench.ts';

const claimTable = 'claims in memory';
const signal = new AbortController().signal;

/** @param client how the table looks to the store */
export function openMemoryBench(client: (table: Table) => Table = (table) => table): Bench {
  const memory = memoryTable({ keys: { [claimTable]: ['claim'], orders: ['id'] } });
  const faults = faultyTable(memory);
  const troubles: ((call: TableCall) => unknown)[] = [];
  faults.intercept((call) => (troubles.shift() ?? (() => call.make()))(call));
  const key = (rowKey: string): Attributes => ({ claim: { S: rowKey } });
  return {
    store: memoryClaimsIn(
      { ...memory, ...client(faults.table) },
      ambientWithClock(() => nowMillis),
    ),
    item: (rowKey) => memory.get(claimTable, key(rowKey), signal),
    order: (id) => memory.get('orders', { id: { S: id } }, signal),
    seed: async (item) => memory.seed(claimTable, item),
    sweep: (rowKey) =>
      memory.transact({ TransactItems: [{ Delete: { TableName: claimTable, Key: key(rowKey) } }] }, signal),
    loseNextReply: () =>
      void troubles.push(async ({ make }) => {
        await make().catch(() => {});
        throw awsError('ECONNRESET');
      }),
    failNext(name, times = 1, more = {}) {
      for (let time = 0; time < times; time += 1) {
        troubles.push(() => {
          throw Object.assign(awsError(name), more);
        });
      }
    },
    forgive: () => void troubles.splice(0),
    hangNext: () => void troubles.push((call) => hang(call.signal)),
    calls: () => faults.purposes.length,
    close: async () => {},
  };
}
