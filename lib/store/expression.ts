import type { ClaimRef, ClaimRow, ClaimStatus } from '../words.ts';
import { allOf, type Guard, placeholderNames, placeholderValues } from './guard.ts';
import type { Attributes, UpdateStatement } from './table.ts';

/** The key of a claim's row. */
export function rowKeyAttributes(rowKey: string): Attributes {
  return { claim: { S: rowKey } };
}

/** What a write changes: `undefined` removes an attribute, anything else sets it. */
export type Changes = Partial<Record<keyof ClaimRow, unknown>>;

/**
 * A write that only the holder can make. It names the fence and the owner, and the status the holder left:
 *
 *   A claims ── lease ends ── B claims ── B settles ── A wakes and settles: refused, its fence is 1 and
 *   the row says 2.
 *
 * @param only a further condition, on placeholders of the changes
 */
export function heldStatement(
  tableName: string,
  claim: ClaimRef,
  status: ClaimStatus | readonly ClaimStatus[],
  changes: Changes,
  only?: string,
): UpdateStatement {
  const held = heldBy(claim, typeof status === 'string' ? [status] : status);
  const guard = only === undefined ? held : allOf(held, { condition: only, names: [], values: {} });
  return updateStatement(tableName, claim.rowKey, guard, changes);
}

function heldBy(claim: ClaimRef, statuses: readonly ClaimStatus[]): Guard {
  const places = statuses.map((_, index) => `heldStatus${index}`);
  return {
    condition: `#fence = :heldFence AND #owner = :heldOwner AND #status IN (${places.map((name) => `:${name}`).join(', ')})`,
    names: ['fence', 'owner', 'status'],
    values: {
      heldFence: claim.fence,
      heldOwner: claim.owner,
      ...Object.fromEntries(places.map((name, index) => [name, statuses[index]])),
    },
  };
}

export function updateStatement(
  tableName: string,
  rowKey: string,
  guard: Guard,
  changes: Changes,
): UpdateStatement {
  const entries = Object.entries(changes);
  const set = entries.filter(([, value]) => value !== undefined);
  const removed = entries.filter(([, value]) => value === undefined);
  const clauses = [
    ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`] : []),
  ];
  return {
    TableName: tableName,
    Key: rowKeyAttributes(rowKey),
    UpdateExpression: clauses.join(' '),
    ConditionExpression: guard.condition,
    ExpressionAttributeNames: placeholderNames([...guard.names, ...Object.keys(changes)]),
    ExpressionAttributeValues: placeholderValues({ ...Object.fromEntries(set), ...guard.values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
