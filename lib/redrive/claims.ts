import type { ClaimStore } from '../store/port.ts';
import type { ClaimName } from './claim-name.ts';
import type { ClaimNow } from './plan.ts';

const readLimit = { timeoutMillis: 5_000 };

/** Looks claims up, and never writes one: the consumer reopens a row, nobody else. */
export type ReadClaim = (name: ClaimName) => Promise<ClaimNow>;

/** Without a table nothing is known of claims, and the consumer's claim answers. */
export function claimReader(store: Pick<ClaimStore, 'read'> | undefined): ReadClaim {
  return async (name) => {
    if (store === undefined || name.status === 'unknown') return { status: 'unknown' };
    const row = await store.read(name.rowKey, readLimit);
    return row === undefined ? { status: 'none' } : { status: 'found', row };
  };
}
