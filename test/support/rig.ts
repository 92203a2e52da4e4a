import middy7 from '@middy/core';
import middy6 from 'middy6';
import type { SqsBatchResponse, SqsRecord } from '../../lib/arrive/record.ts';
import { rowKey } from '../../lib/arrive/row-key.ts';
import * as product from '../../lib/consumer.ts';
import type { InvocationContext } from '../../lib/handle/deadline.ts';
import type { ConsumerOptions, MessageHandler } from '../../lib/options.ts';
import { claimStore } from '../../lib/store/claim-store.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { itemToRow } from '../../lib/store/row-codec.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { type FakeSqs, type FakeSqsOptions, fakeSqs } from './fake-sqs.ts';
import { type FaultyTable, faultyTable } from './faulty-table.ts';
import { type HandClock, handClock } from './hand-clock.ts';
import { type Observed, observed } from './observed.ts';

/** The engine's faces; a broken twin brings its own. */
export type Engine = Pick<typeof product, 'consumeOnce' | 'idempotentConsumer'>;

export type Face = 'consumeOnce' | 'Middy 7' | 'Middy 6';
export const faces: readonly Face[] = ['consumeOnce', 'Middy 7', 'Middy 6'];

export type Middy = typeof middy7;
export const middys: readonly (readonly [name: string, middy: Middy])[] = [
  ['Middy 7', middy7],
  ['Middy 6', middy6 as unknown as Middy],
];

export type Deliver = (
  records: readonly SqsRecord[],
  context?: InvocationContext,
) => Promise<SqsBatchResponse>;

/** A world of one claim table, a table `ledger` with the key `id`, one SQS, and time in the test's hand. */
export interface World {
  readonly clock: HandClock;
  readonly sqs: FakeSqs;
  readonly faults: FaultyTable;
  readonly claims: ClaimStore;
  readonly seen: Observed;
  readonly scope: string;
  rows(): readonly ClaimRow[];
  /** The row of a key in the world's scope. */
  row(key: string, scope?: string): ClaimRow | undefined;
  items(tableName: string): readonly Attributes[];
  seed(row: Partial<ClaimRow> & { readonly claim: string }): void;
  /** A consumer in this world; `engine` puts it into another process. */
  consumer(handler: MessageHandler<never>, options?: Options, face?: Face, engine?: Engine): Deliver;
  /** Options that belong to this world, for consumers built by hand. */
  options(more?: Options): ConsumerOptions<never>;
}

type Options = Partial<ConsumerOptions<never>>;

export interface WorldOptions {
  readonly sqs?: FakeSqsOptions;
  /** A twin of the table, with a guard less. */
  readonly table?: (table: Table) => Table;
  /** A twin of the store, with a guard less. */
  readonly store?: (store: ClaimStore) => ClaimStore;
  /** A twin of the engine, with a guard less. */
  readonly engine?: Engine;
}

const claimTable = 'claims in memory';

export function world(twin: WorldOptions = {}): World {
  const clock = handClock();
  const sqs = fakeSqs(twin.sqs);
  const memory = memoryTable({ keys: { [claimTable]: ['claim'], ledger: ['id'] } });
  const faults = faultyTable(memory);
  const table = twin.table?.(faults.table) ?? faults.table;
  const store = claimStore(table, claimTable, clock.ambient);
  const claims = twin.store?.(store) ?? store;
  const seen = observed();
  const ownEngine = twin.engine ?? product;
  const scope = 'tests';
  const rows = () => memory.items(claimTable).map(itemToRow);

  function options(more: Options = {}): ConsumerOptions<never> {
    return {
      scope,
      claims,
      sqs: sqs as ConsumerOptions<never>['sqs'],
      partialResponses: true,
      observers: [seen.observer],
      ...more,
    } as ConsumerOptions<never>;
  }

  return {
    clock,
    sqs,
    faults,
    claims,
    seen,
    scope,
    rows,
    row: (key, within = scope) => rows().find(({ claim }) => claim === rowKey(within, key)),
    items: (tableName) => memory.items(tableName),
    seed: (row) => memory.seed(claimTable, rowOf(row)),
    options,
    consumer: (handler, more, face = 'consumeOnce', engine = ownEngine) =>
      faced(engine, options(more), handler, face),
  };
}

function rowOf(row: Partial<ClaimRow>): Attributes {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: String(value) },
    ]),
  );
}

function faced(
  engine: Engine,
  options: ConsumerOptions<never>,
  handler: MessageHandler<never>,
  face: Face,
): Deliver {
  if (face === 'consumeOnce') {
    const lambda = engine.consumeOnce(options, handler);
    return (records, context) => lambda({ Records: [...records] }, context);
  }
  const middy = new Map(middys).get(face) ?? middy7;
  const consumer = engine.idempotentConsumer(options);
  const lambda = middy().use(consumer).handler(consumer.eachMessage(handler));
  return (records, context) =>
    lambda({ Records: [...records] }, (context ?? {}) as never) as Promise<SqsBatchResponse>;
}

/** An existing handler that takes the event whole, under the middleware. */
export function wholeEvent(
  middy: Middy,
  options: ConsumerOptions<never>,
  handler: (event: { Records: SqsRecord[] }) => unknown,
  engine: Engine = product,
): Deliver {
  const lambda = middy(handler as never).use(engine.idempotentConsumer(options));
  return (records, context) =>
    lambda({ Records: [...records] } as never, (context ?? {}) as never) as Promise<SqsBatchResponse>;
}
