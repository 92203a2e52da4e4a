import { describe, expect, test } from 'vitest';
import type { ClaimStore } from '../../../lib/store/port.ts';
import { rowToItem } from '../../../lib/store/row-codec.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import { ask, claimed, leaseMillis, limit, nowMillis, row, wish } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { freshKey } from './held-writes.ts';

const expiredAt = Math.floor(nowMillis / 1_000);

/** Rows that whoever comes may take. */
const freeRows: readonly (readonly [string, Partial<ClaimRow>])[] = [
  ['released', { status: 'released', attempts: 2, lastError: 'Error: no', settledAt: nowMillis - 1 }],
  ['lapsed', { leaseEndsAt: nowMillis - 1_000 }],
  ['expired while leased', { leaseEndsAt: nowMillis - 60_000, expiresAt: expiredAt }],
  ['expired after completion', { status: 'completed', result: '1', attempts: 4, expiresAt: expiredAt }],
  ['expired after a parking', { status: 'parked', parkId: 'p', attempts: 5, expiresAt: expiredAt }],
  [
    'parked, and redriven since',
    { status: 'parked', parkId: 'p', attempts: 5, messageId: 'before the redrive' },
  ],
];

/** So many claims of one key at once, again and again: each time exactly one wins. */
export async function raceOnOneKey(store: ClaimStore, rounds: number, contenders = 50): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const rowKey = freshKey();
    const verdicts = await Promise.all(Array.from({ length: contenders }, () => ask(store, rowKey)));
    const counts = Object.groupBy(verdicts, ({ status }) => status);
    if (counts.claimed?.length !== 1 || counts['in-flight']?.length !== contenders - 1) {
      expect.fail(`round ${round}: ${JSON.stringify(verdicts.map(({ status }) => status))}`);
    }
  }
}

/** One conditional write decides who has the claim. */
export function claimingContract(bench: () => Bench): void {
  test('of many claims of one key at once exactly one wins, and the others are in flight', () =>
    raceOnOneKey(bench().store, 4));

  test.each(freeRows)('of ten claims of a row that is %s exactly one wins', async (_, given) => {
    for (let round = 0; round < 3; round += 1) {
      const rowKey = freshKey();
      await bench().seed(rowToItem(row({ claim: rowKey, fence: 7, ...given })));
      const verdicts = await Promise.all(
        Array.from({ length: 10 }, () => ask(bench().store, rowKey, { purpose: 'run-alone' })),
      );
      expect(verdicts.map(({ status }) => status).sort()).toEqual([
        'claimed',
        ...Array.from({ length: 9 }, () => 'in-flight'),
      ]);
      const winner = verdicts.find((verdict) => verdict.status === 'claimed')?.claim;
      expect(winner?.fence).toBe(8);
      expect(await bench().store.read(rowKey, limit)).toEqual(winner?.row);
    }
  });

  test.each(freeRows.filter(([name]) => name.startsWith('expired')))(
    'a row that is %s and not deleted yet is claimed at once, attempts and outcome afresh',
    async (_, given) => {
      const rowKey = freshKey();
      await bench().seed(rowToItem(row({ claim: rowKey, fence: 7, ...given })));
      const claim = await claimed(bench().store, rowKey);
      expect(claim).toMatchObject({ previous: undefined, takenOver: false });
      expect(await bench().store.read(rowKey, limit)).toEqual(
        row({ claim: rowKey, fence: 8, owner: claim.owner }),
      );
    },
  );

  test.each([
    ['missing', undefined],
    ['text', { S: String(nowMillis - 60_000) }],
    ['null', { NULL: true as const }],
    ['a list', { L: [{ N: '1' }] }],
  ])('a lease that is %s is held, not free', async (_, leaseEndsAt) => {
    const rowKey = freshKey();
    const { leaseEndsAt: _readable, ...item } = rowToItem(row({ claim: rowKey }));
    const garbled = leaseEndsAt === undefined ? item : { ...item, leaseEndsAt };
    await bench().seed(garbled);
    for (const purpose of ['run', 'run-alone', 'park'] as const) {
      expect(await ask(bench().store, rowKey, { purpose })).toMatchObject({ status: 'in-flight' });
    }
    expect(await bench().item(rowKey)).toEqual(garbled);
    const later = { nowMillis: row().expiresAt * 1_000 };
    expect(await ask(bench().store, rowKey, later)).toMatchObject({ status: 'claimed' });
  });

  test.each([
    ['in-flight', {}],
    ['duplicate', { status: 'completed', result: '{"charge":"ch_1"}' }],
    ['duplicate', { status: 'rejected', reason: 'late' }],
    ['parked', { status: 'parked', parkId: 'p', parkSent: true }],
    ['exhausted', { status: 'released', attempts: 5 }],
    ['abandoned', { leaseEndsAt: nowMillis - leaseMillis }],
  ] satisfies [string, Partial<ClaimRow>][])(
    '%s is answered with the row, which stays as it is',
    async (status, given) => {
      const stands = row({ claim: freshKey(), ...given });
      await bench().seed(rowToItem(stands));
      expect(await ask(bench().store, stands.claim)).toMatchObject({ status, row: stands });
      expect(await bench().item(stands.claim)).toEqual(rowToItem(stands));
    },
  );

  describe('an acquire', () => {
    test('over a row that changed since it was seen is refused, and tells what stands', async () => {
      const seen = row({ claim: freshKey(), status: 'released' });
      const stands = row({ claim: seen.claim, fence: 2, owner: 'another' });
      await bench().seed(rowToItem(stands));
      const mine = row({ claim: seen.claim, fence: 2, owner: 'mine' });
      expect(await bench().store.acquire(mine, seen, limit)).toEqual({ status: 'refused', row: stands });
      expect(await bench().item(seen.claim)).toEqual(rowToItem(stands));
    });

    test('whose reply is lost is recognised when it is tried again', async () => {
      for (const over of [undefined, row({ claim: freshKey(), status: 'released' })]) {
        const mine = row({ claim: over?.claim ?? freshKey(), fence: (over?.fence ?? 0) + 1, owner: 'mine' });
        if (over !== undefined) await bench().seed(rowToItem(over));
        bench().loseNextReply();
        const lost = bench().store.acquire(mine, over, limit);
        await expect(lost).rejects.toMatchObject({ name: 'StoreUnavailableError' });
        expect(await bench().store.acquire(mine, over, limit)).toEqual({ status: 'landed' });
        expect(await bench().store.read(mine.claim, limit)).toEqual(mine);
      }
    });

    test.each(['released', 'completed', 'parked'] as const)(
      'that the network delivers once more after its claim was %s does not take the row again',
      async (status) => {
        for (const over of [undefined, row({ claim: freshKey(), status: 'released' })]) {
          const mine = row({
            claim: over?.claim ?? freshKey(),
            fence: (over?.fence ?? 0) + 1,
            owner: 'mine',
          });
          const { leaseEndsAt: _, ...left } = { ...mine, status };
          await bench().seed(rowToItem(left));
          expect(await bench().store.acquire(mine, over, limit)).toEqual({ status: 'refused', row: left });
          expect(await bench().item(mine.claim)).toEqual(rowToItem(left));
        }
      },
    );
  });

  test('a message older than its row is looked up first, and never run on the strength of nothing', async () => {
    const rowKey = freshKey();
    expect(await ask(bench().store, rowKey, { outlivedItsRow: true })).toEqual({
      status: 'beyond-retention',
    });
    expect(await bench().item(rowKey)).toBeUndefined();
    const stands = row({ claim: rowKey, status: 'completed' });
    await bench().seed(rowToItem(stands));
    expect(await ask(bench().store, rowKey, { outlivedItsRow: true })).toEqual({
      status: 'duplicate',
      row: stands,
    });
  });

  test('a row that keeps changing is given up, and the last writer keeps it', async () => {
    const { store } = bench();
    const rowKey = freshKey();
    const fought: ClaimStore = {
      ...store,
      async acquire(mine, over, callLimit) {
        await bench().seed(
          rowToItem(
            row({ claim: rowKey, status: 'released', fence: mine.fence, owner: mine.owner + mine.fence }),
          ),
        );
        return store.acquire(mine, over, callLimit);
      },
    };
    await expect(ask(fought, rowKey, wish())).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(await store.read(rowKey, limit)).toMatchObject({ status: 'released' });
  });
}
