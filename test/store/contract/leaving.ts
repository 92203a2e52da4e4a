import { expect, test } from 'vitest';
import { rowToItem } from '../../../lib/store/row-codec.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import { leaseMillis, limit, nowMillis, parking, release, settlement } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { heldFor, heldWrites } from './held-writes.ts';

type Expected = (before: ClaimRow) => Partial<ClaimRow>;

const without = (row: ClaimRow, ...names: readonly (keyof ClaimRow)[]): Partial<ClaimRow> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name as keyof ClaimRow)));

const byAPerson = { fence: 2, owner: 'a person', status: 'released', settledAt: nowMillis } as const;

/** The whole row, after each write that a claim may make. */
const left: Record<string, Expected> = {
  renew: (before) => ({ ...before, leaseEndsAt: nowMillis + 2 * leaseMillis }),
  settle: (before) => ({ ...without(before, 'leaseEndsAt', 'lastError'), ...settlement }),
  'settle as rejected': (before) => ({
    ...without(before, 'leaseEndsAt', 'lastError'),
    ...settlement,
    status: 'rejected',
    reason: 'late',
  }),
  'settle with writes': (before) => ({ ...without(before, 'leaseEndsAt', 'lastError'), ...settlement }),
  release: (before) => ({ ...without(before, 'leaseEndsAt'), ...release, status: 'released' }),
  park: (before) => ({ ...without(before, 'leaseEndsAt'), ...parking, status: 'parked', parkSent: false }),
  markParked: (before) => ({ ...before, parkSent: true }),
  markSent: (before) => ({ ...before, followUpsSent: 1 }),
  'markSent of the last': (before) => without(before, 'followUps', 'followUpsSent'),
  extend: (before) => ({ ...before, expiresAt: settlement.expiresAt + 1_000 }),
  'extend of a parked row': (before) => ({ ...before, expiresAt: parking.expiresAt + 1_000 }),
  reopen: (before) => ({ ...without(before, 'leaseEndsAt', 'reason'), ...byAPerson, attempts: 0 }),
  'reopen of a parked row': (before) => ({
    ...without(before, 'reason', 'parkId', 'parkSent'),
    ...byAPerson,
    attempts: 0,
  }),
  letGo: (before) => ({ ...without(before, 'leaseEndsAt'), ...byAPerson, reason: 'let-go' }),
};

/** What each write leaves of the row, and nothing else. */
export function leavingContract(bench: () => Bench): void {
  test.each(heldWrites.map((write) => [write.name, write] as const))('%s leaves', async (name, held) => {
    const claim = await heldFor(held, bench());
    const before = { ...claim.seen, fingerprint: 'v1:a', effects: 7, redrive: 'r', lastError: 'Error: no' };
    await bench().seed(rowToItem(before));
    await held.write(bench().store, claim, limit);
    expect(await bench().item(claim.rowKey)).toEqual(rowToItem(left[name]?.(before) as ClaimRow));
  });

  test('a settle with follow-ups leaves them to be sent, none of them sent yet', async () => {
    const claim = await heldFor({ after: 'follow-ups' }, bench());
    expect(claim.seen).toMatchObject({ followUps: ['first', 'second'], followUpsSent: 0 });
  });

  test('a settle with an empty list of follow-ups leaves none', async () => {
    const claim = await heldFor({ after: 'claim' }, bench());
    await bench().store.settle(claim, { ...settlement, followUps: [] }, [], limit);
    const item = await bench().item(claim.rowKey);
    expect(item).not.toHaveProperty('followUps');
    expect(item).not.toHaveProperty('followUpsSent');
  });
}
