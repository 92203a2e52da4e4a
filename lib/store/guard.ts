import { latestExpiryEpochSeconds, latestFreeLeaseEnd, rowIsExpired } from '../lease.ts';
import type { ClaimRow } from '../words.ts';
import { toAttribute } from './row-codec.ts';
import type { Attributes } from './table.ts';

/** A condition with what it needs: the attributes it has under `#name`, and the values under `:name`. */
export interface Guard {
  readonly condition: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

/** No row at all. */
export const absent: Guard = { condition: 'attribute_not_exists(claim)', names: [], values: {} };

export function allOf(...guards: readonly Guard[]): Guard {
  return {
    condition: guards.map(({ condition }) => condition).join(' AND '),
    names: guards.flatMap(({ names }) => names),
    values: Object.assign({}, ...guards.map(({ values }) => values)),
  };
}

/** The row still belongs to the claim that was seen. What no write of ours looks like is read as 0 and ''. */
export function sameClaim(seen: ClaimRow): Guard {
  return {
    condition: [
      seen.fence > 0 ? 'fence = :seenFence' : 'NOT fence > :seenFence',
      seen.owner !== '' ? '#owner = :seenOwner' : 'NOT #owner > :seenOwner',
    ].join(' AND '),
    names: ['owner'],
    values: { seenFence: seen.fence, seenOwner: seen.owner },
  };
}

/**
 * The row may still be taken at `nowMillis`, by the same rule that was applied to what was seen: its holder
 * may have moved the lease's end since then, a duplicate the expiry.
 */
export function stillFree(seen: ClaimRow, nowMillis: number): Guard {
  if (rowIsExpired(seen.expiresAt, nowMillis)) return expiredAndIdle(nowMillis);
  if (seen.status !== 'leased') {
    return { condition: '#status = :seenStatus', names: ['status'], values: { seenStatus: seen.status } };
  }
  return {
    condition: '#status = :leased AND leaseEndsAt <= :freeLeaseEnd',
    names: ['status'],
    values: { leased: 'leased', freeLeaseEnd: latestFreeLeaseEnd(nowMillis) },
  };
}

/** Comparing with a lease that is missing or no number is false in DynamoDB: such a lease does not run. */
function expiredAndIdle(nowMillis: number): Guard {
  return {
    condition: 'expiresAt <= :nowSeconds AND (NOT #status = :leased OR NOT leaseEndsAt > :freeLeaseEnd)',
    names: ['status'],
    values: {
      nowSeconds: latestExpiryEpochSeconds(nowMillis),
      leased: 'leased',
      freeLeaseEnd: latestFreeLeaseEnd(nowMillis),
    },
  };
}

/** The row still stands where it was seen. One without a readable status was read as leased. */
export function sameStatus({ status }: ClaimRow): Guard {
  if (status !== 'leased') {
    return { condition: '#status = :seenStatus', names: ['status'], values: { seenStatus: status } };
  }
  return {
    condition: 'NOT #status IN (:released, :completed, :rejected, :parked)',
    names: ['status'],
    values: { released: 'released', completed: 'completed', rejected: 'rejected', parked: 'parked' },
  };
}

/** Attributes called by words that DynamoDB keeps for itself: an expression names them by a placeholder. */
export const reservedNames: ReadonlySet<string> = new Set(['owner', 'result', 'status']);

/** Attributes under their placeholders. */
export function placeholderNames(names: readonly string[]): Record<string, string> {
  const placeholders: Record<string, string> = {};
  for (const name of names) placeholders[`#${name}`] = name;
  return placeholders;
}

/** Values under their placeholders. */
export function placeholderValues(values: Readonly<Record<string, unknown>>): Attributes {
  const placeholders: Attributes = {};
  for (const name of Object.keys(values)) placeholders[`:${name}`] = toAttribute(values[name]);
  return placeholders;
}
