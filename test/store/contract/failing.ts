import { describe, expect, test } from 'vitest';
import { ask, limit, settlement } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { freshKey, heldFor, heldWrites } from './held-writes.ts';

/** A table that cannot be reached is one thing, a deployment that can never work another. */
export function failingContract(bench: () => Bench): void {
  test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'InternalServerError'])(
    'a claim that meets %s is none: the store is unavailable',
    async (name) => {
      const rowKey = freshKey();
      bench().failNext(name);
      await expect(ask(bench().store, rowKey)).rejects.toMatchObject({
        name: 'StoreUnavailableError',
        cause: { name },
      });
      expect(await bench().item(rowKey)).toBeUndefined();
    },
  );

  test.each([
    'AccessDeniedException',
    'ResourceNotFoundException',
    'ValidationException',
    'UnrecognizedClientException',
  ])('a claim that meets %s is told once, as what somebody has to repair', async (name) => {
    const rowKey = freshKey();
    const before = bench().calls();
    bench().failNext(name);
    await expect(ask(bench().store, rowKey)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`"${bench().store.tableName}"`),
      cause: { name },
    });
    expect(bench().calls() - before).toBe(1);
  });

  test.each(['TransactionConflictException', 'TransactionInProgressException'])(
    'a claim that meets %s is neither lost nor won, but tried again',
    async (name) => {
      const rowKey = freshKey();
      const before = bench().calls();
      bench().failNext(name, 3);
      expect(await ask(bench().store, rowKey)).toMatchObject({ status: 'claimed' });
      expect(bench().calls() - before).toBe(4);
    },
  );

  test('a row that stays busy makes the store unavailable at the limit', async () => {
    const claim = await heldFor({ after: 'claim' }, bench());
    bench().failNext('TransactionConflictException', 1_000);
    const settling = bench().store.settle(claim, settlement, [], { timeoutMillis: 100 });
    await expect(settling).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    bench().forgive();
  });

  describe.each(heldWrites.map((write) => [write.name, write] as const))('%s', (_, held) => {
    test('that hangs is given up at its limit', async () => {
      const claim = await heldFor(held, bench());
      const startedAt = performance.now();
      bench().hangNext();
      const writing = held.write(bench().store, claim, { timeoutMillis: 30 });
      await expect(writing).rejects.toMatchObject({ name: 'StoreUnavailableError' });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      // On a busy machine the limit may be over before the call got as far as to hang.
      bench().forgive();
    });
  });

  test('a read that hangs is given up at its limit', async () => {
    bench().hangNext();
    await expect(bench().store.read(freshKey(), { timeoutMillis: 30 })).rejects.toMatchObject({
      name: 'StoreUnavailableError',
    });
    bench().forgive();
  });

  test('a row that is not there is read as none', async () => {
    expect(await bench().store.read(freshKey(), limit)).toBeUndefined();
  });
}
