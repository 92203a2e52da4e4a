import { latestFreeLeaseEnd } from '../lease.ts';
import type { ClaimRow } from '../words.ts';
import { namesOf, prefixed } from './expression.ts';
import { rowToItem, valuesToAttributes } from './row-codec.ts';
import type { PutStatement } from './table.ts';

/**
 * Takes a claim: a row where none is, or over exactly the row that was seen. The condition names the seen
 * row's fence, owner and status, so nobody else took it meanwhile, and repeats the lease rule on the row as
 * it stands, so a heartbeat that landed since the look keeps the claim with its holder.
 */
export function acquireStatement(tableName: string, row: ClaimRow, over: ClaimRow | undefined): PutStatement {
  const guard = over === undefined ? absent : standsAs(over, row.claimedAt);
  return {
    TableName: tableName,
    Item: rowToItem(row),
    ConditionExpression: guard.condition,
    ExpressionAttributeNames: namesOf(guard.names),
    ...(Object.keys(guard.values).length > 0
      ? { ExpressionAttributeValues: prefixed(valuesToAttributes(guard.values)) }
      : {}),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Whether a refused acquire met its own earlier copy: the write landed and only its reply was lost. */
export function isOwnEcho(row: ClaimRow, standing: ClaimRow | undefined): boolean {
  return standing !== undefined && standing.owner === row.owner && standing.status === row.status;
}

interface Guard {
  readonly condition: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

const absent: Guard = { condition: 'attribute_not_exists(#claim)', names: ['claim'], values: {} };

function standsAs(seen: ClaimRow, nowMillis: number): Guard {
  const parts: Guard[] = [
    seen.fence > 0 ? equals('fence', seen.fence) : missing('fence'),
    seen.owner !== '' ? equals('owner', seen.owner) : missing('owner'),
    ...(seen.status === 'leased' ? [noLeaseRuns(seen, nowMillis)] : [equals('status', seen.status)]),
  ];
  return {
    condition: parts.map((part) => part.condition).join(' AND '),
    names: parts.flatMap((part) => part.names),
    values: Object.assign({}, ...parts.map((part) => part.values)),
  };
}

function noLeaseRuns(seen: ClaimRow, nowMillis: number): Guard {
  if (seen.leaseEndsAt === undefined) {
    // Held without a readable lease: free only once the row itself has expired.
    return {
      condition: '#expiresAt <= :nowSeconds',
      names: ['expiresAt'],
      values: { nowSeconds: Math.floor(nowMillis / 1_000) },
    };
  }
  return {
    condition: '#leaseEndsAt <= :freeLeaseEnd',
    names: ['leaseEndsAt'],
    values: { freeLeaseEnd: latestFreeLeaseEnd(nowMillis) },
  };
}

function equals(name: 'fence' | 'owner' | 'status', value: string | number): Guard {
  return { condition: `#${name} = :seen_${name}`, names: [name], values: { [`seen_${name}`]: value } };
}

function missing(name: 'fence' | 'owner'): Guard {
  return { condition: `attribute_not_exists(#${name})`, names: [name], values: {} };
}
