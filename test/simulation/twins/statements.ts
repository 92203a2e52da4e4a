import type { Attributes, PutStatement, Table, UpdateStatement } from '../../../lib/store/table.ts';
import { type Purpose, putPurpose, updatePurpose } from '../../support/faulty-table.ts';
import { relaxed } from '../../support/twins.ts';
import * as product from '../engine.ts';
import { overTable, type Twin } from './twin.ts';

/** A table that forgets a part of the condition of one kind of write. */
export function forgetting(purposes: readonly Purpose[], part: RegExp): (table: Table) => Table {
  const put = (statement: PutStatement) =>
    purposes.includes(putPurpose(statement)) ? relaxed(statement, part) : statement;
  const update = (statement: UpdateStatement) =>
    purposes.includes(updatePurpose(statement)) ? relaxed(statement, part) : statement;
  return (table) => ({
    ...table,
    put: (statement, signal) => table.put(put(statement), signal),
    update: (statement, signal) => table.update(update(statement), signal),
    transact(statement, signal) {
      const [own, ...users] = statement.TransactItems;
      const relaxedOwn =
        own?.Put !== undefined
          ? { Put: put(own.Put as PutStatement) }
          : { Update: update(own?.Update as UpdateStatement) };
      return table.transact({ ...statement, TransactItems: [relaxedOwn, ...users] }, signal);
    },
  });
}

const holder = /\bfence = |#owner = /;

/** Processes that outlive their lease. */
export const zombies = {
  claim: 'first',
  workers: 3,
  rates: { freeze: 8, deliveredTwice: 40, crash: 0 },
  faults: 200,
  habits: { ignoresSignal: 60, slow: 60 },
} as const;

export function without(
  guard: string,
  purposes: readonly Purpose[],
  part: RegExp,
  focus: Twin['focus'],
): Twin {
  // What travels in a batch has conditions of its own.
  return {
    without: guard,
    engine: () => overTable(forgetting(purposes, part)),
    focus: { batching: false, ...focus },
  };
}

/** Guards that stand in the conditions of the writes. */
export const statementTwins: readonly Twin[] = [
  without('the holder in settle', ['settle'], holder, zombies),
  without('the holder in renew', ['renew'], holder, { ...zombies, lease: 'short' }),
  without('the holder in release', ['release'], holder, {
    ...zombies,
    habits: { ...zombies.habits, throws: 50 },
  }),
  without('the holder in park', ['park'], holder, {
    ...zombies,
    keys: 'business',
    works: 1,
    fifoPoison: 'continue',
    habits: { slow: 60, throws: 50 },
    maxAttempts: 1,
  }),
  without('the status in settle', ['settle'], /#status IN/, {
    rates: { lateCopy: 60, freeze: 0, crash: 0 },
    faults: 200,
    followUps: 2,
    claim: 'first',
    shortRetention: false,
    transactions: false,
    transitions: false,
  }),
  without('the status in renew', ['renew'], /#status IN/, {
    claim: 'first',
    habits: { throws: 50, slow: 60 },
    lease: 'short',
    rates: { lateCopy: 20, slow: 15 },
    faults: 60,
  }),
  without('the status in release', ['release'], /#status IN/, {
    rates: { lateCopy: 20 },
    faults: 60,
    habits: { throws: 50 },
  }),
  without('the lease in acquire', ['acquire'], /\bleaseEndsAt <= /, { ...zombies, lease: 'short' }),
  without('the seen row in acquire', ['acquire'], /\bfence = |#owner = |#status = |\bleaseEndsAt/, {
    ...zombies,
  }),
  without('absence in acquire', ['acquire'], /attribute_not_exists/, { rates: { deliveredTwice: 40 } }),
  without('absence in commit', ['commit'], /attribute_not_exists/, {
    claim: 'with-commit',
    form: 'each message',
    rates: { deliveredTwice: 40 },
  }),
  without('a lease that only grows', ['renew'], /NOT \bleaseEndsAt > /, {
    lease: 'short',
    rates: { lateCopy: 20, slow: 15 },
    faults: 60,
  }),
  without('a count that only grows', ['markSent'], /\bfollowUpsSent <= /, {
    followUps: 4,
    shortRetention: false,
    rates: { lateCopy: 40, throttled: 40 },
    faults: 200,
  }),
];

/** A table whose writes change on their way. */
export const tableTwins: readonly Twin[] = [
  {
    without: 'one transaction for an outcome and its writes',
    engine: () =>
      overTable((table) => ({
        ...table,
        async transact({ TransactItems: [own, ...users] }, signal) {
          if (own?.Put !== undefined) await table.put(own.Put as PutStatement, signal);
          else await table.update(own?.Update as UpdateStatement, signal);
          if (users.length > 0) await table.transact({ TransactItems: users }, signal);
        },
      })),
    focus: { transactions: true },
  },
  {
    without: 'the recognition of its own writes',
    engine: () => overTable(withStrangeRefusals),
    focus: { lease: 'deadline', rates: { lostReply: 25, retriedByClient: 20 }, faults: 60 },
  },
  {
    without: 'the record of a parking before it is sent',
    engine: () => ({
      ...product,
      claimStore: (...given) => ({
        ...product.claimStore(...given),
        park: async () => ({ status: 'landed' }),
      }),
    }),
    focus: { batching: false, natures: { poison: 25 } },
  },
];

/** A table whose refusals tell of a stranger's row, whosever it is. */
export function withStrangeRefusals(table: Table): Table {
  return {
    ...table,
    put: (statement, signal) => table.put(statement, signal).catch(strange),
    update: (statement, signal) => table.update(statement, signal).catch(strange),
  };
}

/** A refusal that does not tell whose row it met. */
function strange(error: unknown): never {
  const item = (error as { Item?: Attributes }).Item;
  throw item === undefined
    ? error
    : Object.assign(error as Error, { Item: { ...item, owner: { S: 'someone' } } });
}
