import type { ClaimRow } from '../words.ts';
import { absent, allOf, placeholderNames, placeholderValues, sameClaim, stillFree } from './guard.ts';
import { rowToItem } from './row-codec.ts';
import type { PutStatement } from './table.ts';

/**
 * Takes a claim: a row where none is, or over exactly the row that was seen. The condition names the seen
 * row's fence and owner, so nobody else took it meanwhile, and repeats the rule on the row as it stands, so a
 * heartbeat that landed since the look keeps the claim with its holder.
 */
export function acquireStatement(tableName: string, row: ClaimRow, over: ClaimRow | undefined): PutStatement {
  const guard = over === undefined ? absent : allOf(sameClaim(over), stillFree(over, row.claimedAt));
  return {
    TableName: tableName,
    Item: rowToItem(row),
    ConditionExpression: guard.condition,
    ...(guard === absent
      ? {}
      : {
          ExpressionAttributeNames: placeholderNames(guard.names),
          ExpressionAttributeValues: placeholderValues(guard.values),
        }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}
