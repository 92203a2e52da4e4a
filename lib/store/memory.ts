import { type Ambient, ambientWithClock, processAmbient } from '../ambient.ts';
import { objectOf, refuseUnknown } from '../option-checks.ts';
import { type MemorySqs, memorySqs } from '../testing/memory-sqs.ts';
import { claimStore } from './claim-store.ts';
import { type MemoryTable, memoryTable } from './memory/memory-table.ts';
import type { ClaimStore } from './port.ts';
import type { Attributes } from './table.ts';

/** Options of {@link memoryClaims}. */
export interface MemoryClaimsOptions {
  /** The time in epoch milliseconds, for tests that turn it by hand. @default Date.now */
  readonly clock?: () => number;
  /**
   * The key attributes of the tables that attempts write to, by table name.
   * @default the key of the first update, delete or check of a table; a put needs it stated
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

/** Claims in memory, with a look at what is in the tables. */
export interface MemoryClaims extends ClaimStore {
  /** What consumers of these claims send and give back, where they are given no `sqs` of their own. */
  readonly sqs: MemorySqs;
  /** Copies of a table's items, in DynamoDB's form; without a name, the claim rows. */
  items(tableName?: string): readonly Attributes[];
  /** Puts an item, whatever stood there. */
  seed(tableName: string, item: Attributes): void;
}

/**
 * Claims in memory, for unit tests: the same statements as DynamoDB's, evaluated here, with attempts'
 * transactions, and a {@link memorySqs} beside it. One store is one table: share it between the handlers that
 * should see each other's claims. Nothing of it reaches AWS.
 *
 * @example
 * ```ts
 * const claims = memoryClaims();
 * const handler = consumeOnce({ scope: 'test', claims }, async ({ body }) => capture(body));
 * await handler(sqsEvent([{ body: { orderId: 'A-17' } }]));
 * console.log(claims.sqs.sent); // parked messages and follow-ups
 * ```
 */
export function memoryClaims(options: MemoryClaimsOptions = {}): MemoryClaims {
  refuseUnknown(
    objectOf(options, 'memoryClaims', '{ clock, keys }, or nothing'),
    ['clock', 'keys'],
    'memoryClaims',
  );
  const ambient = options.clock === undefined ? processAmbient : ambientWithClock(options.clock);
  return memoryClaimsIn(memoryTable({ keys: { ...options.keys, [claimTable]: ['claim'] } }), ambient);
}

/** The same over a table of the caller's, on another clock. */
export function memoryClaimsIn(table: MemoryTable, ambient: Ambient): MemoryClaims {
  return {
    ...claimStore(table, claimTable, ambient),
    sqs: memorySqs(),
    items: (tableName = claimTable) => table.items(tableName),
    seed: (tableName, item) => table.seed(tableName, item),
  };
}

const claimTable = 'claims in memory';
