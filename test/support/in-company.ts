import { randomUUID } from 'node:crypto';
import type { ClaimStore } from '../../lib/store/port.ts';
import { rowToItem } from '../../lib/store/row-codec.ts';
import type { Bench } from '../store/bench.ts';
import { row } from './claims.ts';

/**
 * A bench whose claims and settles never travel alone: beside each goes one of a stranger, ready at the same
 * moment, which lands and whose fate nobody asks for.
 */
export function inCompany(bench: Bench): Bench {
  const { store } = bench;
  const accompanied: ClaimStore = {
    ...store,
    acquire(wanted, over, limit) {
      const stranger = { ...wanted, claim: randomUUID() };
      if (over === undefined) store.acquire(stranger, undefined, limit).catch(() => {});
      return store.acquire(wanted, over, limit);
    },
    async settle(claim, settlement, writes, limit) {
      const stranger = { ...claim, rowKey: randomUUID() };
      const { rowKey, fence, owner } = stranger;
      await bench.seed(rowToItem(row({ claim: rowKey, fence, owner })));
      if (writes.length === 0) store.settle(stranger, settlement, [], limit).catch(() => {});
      return store.settle(claim, settlement, writes, limit);
    },
  };
  return { ...bench, store: accompanied };
}
