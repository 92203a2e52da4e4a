import { leaseIsOver } from '../../../lib/lease.ts';
import { memoryTable } from '../../../lib/store/memory/memory-table.ts';
import { itemToRow } from '../../../lib/store/row-codec.ts';
import type { Attributes, Table, TransactStatement } from '../../../lib/store/table.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import { isExpired } from '../facts.ts';
import { callOver } from './network.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

export const claimTable = 'claims';
/** One item for each run whose writes landed. */
export const ledgerTable = 'ledger';
/** How many of them there are, by account. */
export const accountTable = 'accounts';
/** The one payment that messages may be events of. */
export const paymentTable = 'payments';

const patienceMillis = 6_000;
const never = new AbortController().signal;

/** The tables of a world: one copy of the data, seen through each process's own network. */
export class Tables {
  readonly #world: World;
  readonly #memory = memoryTable({
    keys: {
      [claimTable]: ['claim'],
      [ledgerTable]: ['entry'],
      [accountTable]: ['account'],
      [paymentTable]: ['payment'],
    },
  });

  constructor(world: World) {
    this.#world = world;
  }

  items(tableName: string): readonly Attributes[] {
    return this.#memory.items(tableName);
  }

  #itemAt(rowKey: string): Promise<Attributes | undefined> {
    return this.#memory.get(claimTable, { claim: { S: rowKey } }, never);
  }

  /** The tables as a process reaches them. */
  of(process: Process): Table {
    const call = <Answer>(name: string, land: () => Promise<Answer>, signal: AbortSignal, conflicts = true) =>
      callOver(this.#world, process, {
        name,
        land,
        signal,
        patienceMillis,
        refusals: {
          throttled: () => awsError('ThrottlingException'),
          ...(conflicts ? { conflict: name === 'transact' ? busyTransaction : busyItem } : {}),
        },
      });
    const writes = this.behind(process.name);
    return {
      put: (statement, signal) => call('put', () => writes.put(statement, signal), signal),
      update: (statement, signal) => call('update', () => writes.update(statement, signal), signal),
      transact: (statement, signal) => call('transact', () => writes.transact(statement, signal), signal),
      get: (tableName, key, signal) => call('get', () => writes.get(tableName, key, signal), signal, false),
    };
  }

  /** The tables behind every network: what reaches them is carried out, and shown to the laws. */
  behind(writer: string): Table {
    const memory = this.#memory;
    const watched = async (key: Attributes, write: () => Promise<void>) =>
      void (await this.#watched(writer, key, write));
    return {
      put: (statement) => watched(statement.Item, () => memory.put(statement, never)),
      update: (statement) => watched(statement.Key, () => memory.update(statement, never)),
      transact: (statement) => this.#transacted(writer, statement),
      get: (tableName, key) => memory.get(tableName, key, never),
    };
  }

  async #transacted(writer: string, statement: TransactStatement): Promise<void> {
    const [own, ...users] = statement.TransactItems;
    const key = own?.Put?.Item ?? own?.Update?.Key ?? {};
    const changed = await this.#watched(writer, key, () => this.#memory.transact(statement, never));
    if (changed !== undefined) this.#world.clerk.committed(changed, users);
  }

  /** A write to a row, shown to the laws as what it changed. */
  async #watched(writer: string, { claim }: Attributes, write: () => Promise<void>) {
    const rowKey = claim?.S ?? '';
    const before = await this.#itemAt(rowKey);
    await write();
    const item = await this.#itemAt(rowKey);
    if (item === undefined || JSON.stringify(before) === JSON.stringify(item)) return undefined;
    const change = {
      work: this.#world.facts.of(rowKey),
      writer,
      before: before && itemToRow(before),
      after: itemToRow(item),
      item,
    };
    this.#world.clerk.rowChanged(change);
    if (this.#world.plan.shortRetention) this.#sweepLater(change.after);
    return change;
  }

  /** An expired row is deleted late, if nobody has touched it since: DynamoDB takes days, and no lease is as long. */
  #sweepLater({ claim, expiresAt }: ClaimRow): void {
    const { agenda, dice, facts } = this.#world;
    agenda.after(expiresAt * 1_000 - agenda.nowMillis + dice.spread(1_000, 600_000), async () => {
      const work = facts.of(claim);
      if (work.row === undefined || !isExpired(work.row, agenda.nowMillis)) return;
      if (work.row.status === 'leased' && !leaseIsOver(work.row.leaseEndsAt, agenda.nowMillis)) return;
      this.#world.tell('table', `${claim} is swept away`);
      await this.#memory.transact(
        { TransactItems: [{ Delete: { TableName: claimTable, Key: { claim: { S: claim } } } }] },
        never,
      );
      work.row = undefined;
    });
  }
}

export function awsError(name: string, more: object = {}): Error {
  return Object.assign(new Error(`${name} from the world`), { name, $metadata: {}, ...more });
}

const busyItem = () => awsError('TransactionConflictException');
const busyTransaction = () =>
  awsError('TransactionCanceledException', {
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  });
