import type { CallLimit, ClaimStore, CommitLanding } from '../../../lib/store/port.ts';
import type { TransactionWrite } from '../../../lib/store/writes.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import {
  claimed,
  leaseMillis,
  limit,
  nowMillis,
  parking,
  release,
  settlement,
} from '../../support/claims.ts';
import type { Bench } from '../bench.ts';

/** A claim, and the row as its holder saw it last. */
export interface Held {
  readonly rowKey: string;
  readonly fence: number;
  readonly owner: string;
  readonly seen: ClaimRow;
  /** A row of the user's table that only this claim writes. */
  readonly orderId: string;
}

/** A write that names its claim. */
export interface HeldWrite {
  readonly name: string;
  /** How far the claim has come when this is written. */
  readonly after: 'claim' | 'settle' | 'follow-ups' | 'park';
  readonly write: (store: ClaimStore, held: Held, within: CallLimit) => Promise<CommitLanding>;
}

export const orderOf = (id: string): TransactionWrite => ({
  Put: { TableName: 'orders', Item: { id: { S: id }, total: { N: '12' } } },
});

export const heldWrites: readonly HeldWrite[] = [
  {
    name: 'renew',
    after: 'claim',
    write: (store, held, within) => store.renew(held, nowMillis + 2 * leaseMillis, within),
  },
  {
    name: 'settle',
    after: 'claim',
    write: (store, held, within) => store.settle(held, settlement, [], within),
  },
  {
    name: 'settle as rejected',
    after: 'claim',
    write: (store, held, within) =>
      store.settle(held, { ...settlement, status: 'rejected', reason: 'late' }, [], within),
  },
  {
    name: 'settle with writes',
    after: 'claim',
    write: (store, held, within) => store.settle(held, settlement, [orderOf(held.orderId)], within),
  },
  { name: 'release', after: 'claim', write: (store, held, within) => store.release(held, release, within) },
  { name: 'park', after: 'claim', write: (store, held, within) => store.park(held, parking, within) },
  { name: 'markParked', after: 'park', write: (store, held, within) => store.markParked(held, within) },
  {
    name: 'markSent',
    after: 'follow-ups',
    write: (store, held, within) => store.markSent(held, 1, false, within),
  },
  {
    name: 'markSent of the last',
    after: 'follow-ups',
    write: (store, held, within) => store.markSent(held, 2, true, within),
  },
  {
    name: 'extend',
    after: 'settle',
    write: (store, held, within) => store.extend(held, settlement.expiresAt + 1_000, within),
  },
  {
    name: 'extend of a parked row',
    after: 'park',
    write: (store, held, within) => store.extend(held, parking.expiresAt + 1_000, within),
  },
  {
    name: 'reopen',
    after: 'claim',
    write: (store, held, within) => store.reopen(held.seen, 'a person', nowMillis, within),
  },
  {
    name: 'reopen of a parked row',
    after: 'park',
    write: (store, held, within) => store.reopen(held.seen, 'a person', nowMillis, within),
  },
  {
    name: 'letGo',
    after: 'claim',
    write: (store, held, within) => store.letGo(held.seen, 'a person', nowMillis, within),
  },
];

let keys = 0;

/** A row key that nobody has used. */
export function freshKey(): string {
  keys += 1;
  return `scope#key-${keys}`;
}

/** A claim that has come as far as the write needs it. */
export async function heldFor(
  { after }: Pick<HeldWrite, 'after'>,
  { store }: Pick<Bench, 'store'>,
): Promise<Held> {
  const rowKey = freshKey();
  const claim = await claimed(store, rowKey);
  const way = {
    claim: undefined,
    settle: () => store.settle(claim, settlement, [], limit),
    'follow-ups': () => store.settle(claim, { ...settlement, followUps: ['first', 'second'] }, [], limit),
    park: () => store.park(claim, parking, limit),
  }[after];
  const landing = await way?.();
  if (landing !== undefined && landing.status !== 'landed') throw new Error(`${after}: ${landing.status}`);
  const seen = await store.read(rowKey, limit);
  if (seen === undefined) throw new Error(`no row after ${after}`);
  return { rowKey, fence: claim.fence, owner: claim.owner, seen, orderId: `order of ${rowKey}` };
}
