import type { ClaimRef, ClaimRow, ClaimStatus } from '../words.ts';
import { allOf, type Guard, placeholderNames, placeholderValues, reservedNames } from './guard.ts';
import { toAttribute } from './row-codec.ts';
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
  const values: Record<string, unknown> = { heldFence: claim.fence, heldOwner: claim.owner };
  let places = '';
  for (const [index, status] of statuses.entries()) {
    values[`heldStatus${index}`] = status;
    places += `${index === 0 ? '' : ', '}:heldStatus${index}`;
  }
  return {
    condition: `fence = :heldFence AND #owner = :heldOwner AND #status IN (${places})`,
    names: ['owner', 'status'],
    values,
  };
}

/** Built without intermediate lists: there is one of these for every message. */
export function updateStatement(
  tableName: string,
  rowKey: string,
  guard: Guard,
  changes: Changes,
): UpdateStatement {
  const names = placeholderNames(guard.names);
  const values = placeholderValues(guard.values);
  let set = '';
  let removed = '';
  for (const name of Object.keys(changes) as (keyof ClaimRow)[]) {
    const value = changes[name];
    const isReserved = reservedNames.has(name);
    if (isReserved) names[`#${name}`] = name;
    const path = isReserved ? `#${name}` : name;
    if (value === undefined) {
      removed += `${removed === '' ? 'REMOVE' : ','} ${path}`;
    } else {
      set += `${set === '' ? 'SET' : ','} ${path} = :${name}`;
      values[`:${name}`] = toAttribute(value);
    }
  }
  return {
    TableName: tableName,
    Key: rowKeyAttributes(rowKey),
    UpdateExpression: `${set} ${removed}`.trim(),
    ConditionExpression: guard.condition,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
