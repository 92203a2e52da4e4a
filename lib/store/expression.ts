import type { ClaimRef, ClaimRow, ClaimStatus } from '../words.ts';
import { valuesToAttributes } from './row-codec.ts';
import type { Attributes, UpdateStatement } from './table.ts';

/** The key of a claim's row. */
export function rowKeyAttributes(rowKey: string): Attributes {
  return { claim: { S: rowKey } };
}

/** What a held claim's write changes: `undefined` removes an attribute, anything else sets it. */
export type Changes = Partial<Record<keyof ClaimRow, unknown>>;

/**
 * A write that only the holder can make. It names the fence and the owner, and the status the holder left:
 *
 *   A claims ── lease ends ── B claims ── B settles ── A wakes and settles: refused, its fence is 1 and
 *   the row says 2.
 */
export function heldStatement(
  tableName: string,
  claim: ClaimRef,
  status: ClaimStatus | readonly ClaimStatus[],
  changes: Changes,
): UpdateStatement {
  const entries = Object.entries(changes);
  const set = entries.filter(([, value]) => value !== undefined);
  const removed = entries.filter(([, value]) => value === undefined);
  const statuses = typeof status === 'string' ? [status] : status;
  const heldStatuses = Object.fromEntries(statuses.map((value, index) => [`heldStatus${index}`, value]));
  return {
    TableName: tableName,
    Key: rowKeyAttributes(claim.rowKey),
    UpdateExpression: [
      set.length > 0 ? `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}` : '',
      removed.length > 0 ? `REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}` : '',
    ]
      .filter((clause) => clause !== '')
      .join(' '),
    ConditionExpression: [
      '#fence = :heldFence',
      '#owner = :heldOwner',
      `#status IN (${Object.keys(heldStatuses)
        .map((name) => `:${name}`)
        .join(', ')})`,
    ].join(' AND '),
    ExpressionAttributeNames: namesOf(['fence', 'owner', 'status', ...Object.keys(changes)]),
    ExpressionAttributeValues: prefixed(
      valuesToAttributes({
        ...Object.fromEntries(set),
        heldFence: claim.fence,
        heldOwner: claim.owner,
        ...heldStatuses,
      }),
    ),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** Every attribute under a placeholder: `status`, `owner` and `result` are words DynamoDB keeps for itself. */
export function namesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`#${name}`, name]));
}

/** Values under their placeholders. */
export function prefixed(values: Attributes): Attributes {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
}
