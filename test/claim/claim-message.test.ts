// Asking for a claim: how it is won, what its winner learns of the attempts before, and when asking ends.
import { describe, expect, test } from 'vitest';
import { claimStore } from '../../lib/store/claim-store.ts';
import { memoryTable } from '../../lib/store/memory/memory-table.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { rowToItem } from '../../lib/store/row-codec.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { ask, claimed, limit, nowMillis, row } from '../support/claims.ts';
import { faultyTable } from '../support/faulty-table.ts';
import { handClock } from '../support/hand-clock.ts';
import { lab } from '../support/lab.ts';

const claim = 'scope#key';

function over(stands: Partial<ClaimRow>): { readonly store: ClaimStore; readonly seen: ClaimRow } {
  const { store, seed } = lab();
  const seen = row({ claim, fence: 4, ...stands });
  seed(seen);
  return { store, seen };
}

describe('the winner', () => {
  test('of an absent row is the first', async () => {
    expect(await claimed(lab().store, claim)).toMatchObject({
      fence: 1,
      previous: undefined,
      takenOver: false,
    });
  });

  test('after a release is told of the attempt before, which did leave word', async () => {
    const { store, seen } = over({ status: 'released', attempts: 2 });
    expect(await claimed(store, claim)).toMatchObject({ fence: 5, previous: seen, takenOver: false });
  });

  test('after a lapse is told of the attempt before, which did not', async () => {
    const { store, seen } = over({ leaseEndsAt: nowMillis - 1_000 });
    expect(await claimed(store, claim, { purpose: 'run-alone' })).toMatchObject({
      previous: seen,
      takenOver: true,
    });
  });

  test('after a release that gave the only attempt back is the first', async () => {
    const { store } = over({ status: 'released', attempts: 0 });
    expect(await claimed(store, claim)).toMatchObject({ previous: undefined, takenOver: false });
  });

  test('after expiry is the first, whatever lapsed long ago', async () => {
    const { store } = over({ leaseEndsAt: nowMillis - 60_000, expiresAt: Math.floor(nowMillis / 1_000) });
    expect(await claimed(store, claim)).toMatchObject({ fence: 5, previous: undefined, takenOver: false });
  });

  test.each([
    [2, false],
    [3, true],
  ])('with %i attempts before it of 4 is the last: %s', async (attempts, isLast) => {
    const { store } = over({ status: 'released', attempts });
    expect((await claimed(store, claim, { maxAttempts: 4 })).isLast).toBe(isLast);
  });
});

describe('asking', () => {
  /** A table whose every call takes all the time there is. */
  function slow(stands?: ClaimRow) {
    const clock = handClock();
    const memory = memoryTable({ keys: { claims: ['claim'] } });
    if (stands !== undefined) memory.seed('claims', rowToItem(stands));
    const faults = faultyTable(memory);
    faults.intercept((call) => {
      clock.jump({ monotonic: limit.timeoutMillis });
      return call.make();
    });
    return { faults, store: claimStore(faults.table, 'claims', clock.ambient) };
  }

  test('ends when its time is up, and writes nothing after it', async () => {
    const { store, faults } = slow(row({ claim, status: 'released' }));
    await expect(ask(store, claim)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(faults.purposes).toEqual(['acquire']);
  });

  test('that took all its time still tells what it saw', async () => {
    const { store, faults } = slow(row({ claim }));
    expect(await ask(store, claim)).toMatchObject({ status: 'in-flight' });
    expect(faults.purposes).toEqual(['acquire']);
  });
});
