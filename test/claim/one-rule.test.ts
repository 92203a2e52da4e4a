/**
 * L8, one rule: code and condition free the same rows. Code decides on the row it has seen; the condition of
 * the write that follows applies the same rule to the row that stands there then. Rows are garbled at will.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { claimRow } from '../../lib/claim/claim-row.ts';
import { decide } from '../../lib/claim/decide.ts';
import { skewMillis } from '../../lib/lease.ts';
import { acquireStatement } from '../../lib/store/acquire.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import { itemToRow } from '../../lib/store/row-codec.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';
import { nowMillis, termsAt, wish } from '../support/claims.ts';
import { always } from '../support/property.ts';
import { caught, withoutCondition } from '../support/twins.ts';

/** A twin is given up only after so many rows; the product needs fewer. */
const mostRows = 6_000;
const enoughRows = 2_000;
vi.setConfig({ testTimeout: 90_000 });

type Garbled = AttributeValue | undefined;

const numbers = (...values: readonly number[]) => fc.constantFrom(...values).map((N) => ({ N: String(N) }));
const texts = (...values: readonly string[]) => fc.constantFrom(...values).map((S) => ({ S }));
/** The attribute as it should be, or missing, or of another type. */
const garbled = (usual: Arbitrary<AttributeValue>): Arbitrary<Garbled> =>
  fc.oneof(
    { weight: 6, arbitrary: usual },
    fc.constant(undefined),
    fc.constantFrom<AttributeValue>({ S: '1' }, { N: '7' }, { NULL: true }, { BOOL: true }, { L: [] }),
  );

const nowSeconds = Math.floor(nowMillis / 1_000);
const ticks = [-1, 0, 1] as const;
const item: Arbitrary<Attributes> = fc
  .record({
    claim: fc.constant({ S: 'scope#key' }),
    status: garbled(texts('leased', 'leased', 'released', 'completed', 'rejected', 'parked', 'frozen')),
    fence: garbled(numbers(1, 2, 0, -1)),
    owner: garbled(texts('a', 'b', '')),
    leaseEndsAt: garbled(
      numbers(nowMillis + 60_000, 0, ...ticks.map((tick) => nowMillis - skewMillis + tick)),
    ),
    expiresAt: garbled(numbers(nowSeconds + 86_400, 0, ...ticks.map((tick) => nowSeconds + tick))),
    attempts: garbled(numbers(0, 1)),
  })
  .map((given) =>
    Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined),
    ),
  );

/** Whoever asks here is stopped by status, lease and expiry only, and has not been parked under this id. */
const asking = () => wish({ purpose: 'run-alone', maxAttempts: 1_000, messageId: 'another' });

interface Take {
  readonly isFree: boolean;
  readonly landed: boolean;
}

/** Decides on `seen` and writes onto `stands`. */
async function take(seen: Attributes, stands: Attributes, twin: (table: Table) => Table): Promise<Take> {
  const memory = memoryTable({ keys: { claims: ['claim'] } });
  memory.seed('claims', stands);
  const wanted = asking();
  const over = itemToRow(seen);
  const decision = decide(over, wanted);
  const taking =
    decision.status === 'free' ? decision : ({ status: 'free', taking: 'continued', over } as const);
  const row = claimRow('scope#key', taking, wanted, termsAt(nowMillis));
  const landed = await twin(memory)
    .put(acquireStatement('claims', row, over), new AbortController().signal)
    .then(
      () => true,
      (error: Error) => {
        if (error.name !== 'ConditionalCheckFailedException') throw error;
        return false;
      },
    );
  return { isFree: decision.status === 'free', landed };
}

const product = (table: Table) => table;

async function whatIsFreeIsTaken(twin = product, rows = enoughRows): Promise<void> {
  await always(
    fc.asyncProperty(item, async (stands) => {
      const { isFree, landed } = await take(stands, stands, twin);
      if (isFree) expect(landed).toBe(true);
      // Only a lease stops a write by the rule itself; settled rows were told apart before it.
      else if (itemToRow(stands).status === 'leased') expect(landed).toBe(false);
    }),
    rows,
  );
}

async function whatChangedIsTakenOnlyIfStillFree(twin = product, rows = enoughRows): Promise<void> {
  await always(
    fc.asyncProperty(item, item, async (seen, stands) => {
      const before = itemToRow(seen);
      const now = itemToRow(stands);
      fc.pre(decide(before, asking()).status === 'free');
      const { landed } = await take(seen, stands, twin);
      if (!landed) return;
      expect(decide(now, asking()).status).toBe('free');
      expect([Math.max(0, now.fence), now.owner]).toEqual([Math.max(0, before.fence), before.owner]);
    }),
    rows,
  );
}

describe('a row as it was seen', () => {
  test('is taken when the code calls it free, and never while a lease holds it', () => whatIsFreeIsTaken());

  test.each([
    ['the lease', /\bleaseEndsAt <= :freeLeaseEnd/],
    ['status and lease', /#status = :leased$|\bleaseEndsAt <= :freeLeaseEnd/],
  ])('without %s in the condition the test fails', (_, part) =>
    caught(whatIsFreeIsTaken(withoutCondition(part), mostRows)),
  );
});

describe('a row that changed since', () => {
  test('is taken only if the code would call it free too', () => whatChangedIsTakenOnlyIfStillFree());

  test.each([
    ['the fence', /\bfence/],
    ['the owner', /#owner/],
    ['the status that was seen', /#status = :seenStatus/],
    ['the status of a lease', /^#status = :leased/],
    ['the lease', /\bleaseEndsAt <= :freeLeaseEnd/],
    ['the expiry', /\bexpiresAt <= :nowSeconds/],
    ['the lease of an expired row', /\bleaseEndsAt > :freeLeaseEnd/],
  ])('without %s in the condition the test fails', (_, part) =>
    caught(whatChangedIsTakenOnlyIfStillFree(withoutCondition(part), mostRows)),
  );
});
