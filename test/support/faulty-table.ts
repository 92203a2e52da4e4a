import type { Table } from '../../lib/store/table.ts';

/** What a call to the table is for. */
export type Purpose =
  | 'read'
  | 'acquire'
  | 'commit'
  | 'settle'
  | 'release'
  | 'park'
  | 'markParked'
  | 'markSent'
  | 'renew'
  | 'extend'
  | 'reopen';

type Statement =
  | Parameters<Table['put']>[0]
  | Parameters<Table['update']>[0]
  | Parameters<Table['transact']>[0];

export interface TableCall {
  readonly purpose: Purpose;
  /** How many calls of this purpose there were, this one included. */
  readonly count: number;
  readonly statement: Statement | undefined;
  readonly signal: AbortSignal;
  /** Makes the call; without it nothing reaches the table. */
  readonly make: () => Promise<unknown>;
}

/** A table whose every call a test can see, delay, drop or answer itself. */
export interface FaultyTable {
  readonly table: Table;
  readonly purposes: readonly Purpose[];
  /** From now on calls go through this; it makes the call, or does not. */
  intercept(meddle: (call: TableCall) => unknown): void;
  heal(): void;
}

const plain = (call: TableCall) => call.make();

export function faultyTable(real: Table): FaultyTable {
  const purposes: Purpose[] = [];
  const counts = new Map<Purpose, number>();
  let meddle: (call: TableCall) => unknown = plain;

  async function through<Answer>(
    purpose: Purpose,
    statement: Statement | undefined,
    signal: AbortSignal,
    make: () => Promise<Answer>,
  ): Promise<Answer> {
    purposes.push(purpose);
    const count = (counts.get(purpose) ?? 0) + 1;
    counts.set(purpose, count);
    return (await meddle({ purpose, count, statement, signal, make })) as Answer;
  }

  return {
    purposes,
    intercept(next) {
      meddle = next;
    },
    heal() {
      meddle = plain;
    },
    table: {
      put: (statement, signal) =>
        through(putPurpose(statement), statement, signal, () => real.put(statement, signal)),
      update: (statement, signal) =>
        through(updatePurpose(statement), statement, signal, () => real.update(statement, signal)),
      transact: (statement, signal) =>
        through('commit', statement, signal, () => real.transact(statement, signal)),
      get: (tableName, key, signal) =>
        through('read', undefined, signal, () => real.get(tableName, key, signal)),
    },
  };
}

export function putPurpose({ Item }: Parameters<Table['put']>[0]): Purpose {
  return Item.status?.S === 'leased' ? 'acquire' : 'commit';
}

export function updatePurpose(statement: Parameters<Table['update']>[0]): Purpose {
  const values = statement.ExpressionAttributeValues;
  const status = values[':status']?.S;
  if (status === 'completed' || status === 'rejected') return 'settle';
  if (status === 'parked') return 'park';
  if (status === 'released') return values[':fence'] === undefined ? 'release' : 'reopen';
  if (values[':leaseEndsAt'] !== undefined) return 'renew';
  if (values[':parkSent'] !== undefined) return 'markParked';
  if (values[':expiresAt'] !== undefined) return 'extend';
  return 'markSent';
}

/** An error as the SDK throws it. */
export function awsError(name: string): Error {
  return Object.assign(new Error(`${name} from a test`), { name, $metadata: {} });
}

/** A call that never comes back, until its caller gives up on it. */
export function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(awsError('AbortError')), { once: true });
  });
}
