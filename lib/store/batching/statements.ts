import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ClaimRef, ClaimRow } from '../../words.ts';
import type { Settlement } from '../port.ts';
import { rowToItem, toAttribute } from '../row-codec.ts';
import { settledChanges } from '../settle.ts';

/** A statement of `BatchExecuteStatement`: PartiQL, values apart from the text. */
export interface BatchStatement {
  readonly Statement: string;
  readonly Parameters: AttributeValue[];
}

/** Writes a claim's row where none is. PartiQL's `INSERT` never writes over a row that stands there. */
export function insertStatement(tableName: string, row: ClaimRow): BatchStatement {
  const item = rowToItem(row);
  const fields = Object.keys(item).map((name) => `'${name}': ?`);
  return {
    Statement: `INSERT INTO ${quoted(tableName)} VALUE {${fields.join(', ')}}`,
    Parameters: Object.values(item),
  };
}

/**
 * Records an outcome under the condition a single settle has. Which of the forms AWS documents for several
 * attributes every DynamoDB takes is not settled, so the form is spelt here and nowhere else; where it is
 * refused, the outcome travels alone.
 */
export function settleInBatch(tableName: string, claim: ClaimRef, settlement: Settlement): BatchStatement {
  const changes = Object.entries(settledChanges(settlement));
  const set = changes.filter(([, value]) => value !== undefined);
  const removed = changes.filter(([, value]) => value === undefined);
  return {
    Statement: [
      `UPDATE ${quoted(tableName)}`,
      `SET ${set.map(([name]) => `${quoted(name)} = ?`).join(', ')}`,
      `REMOVE ${removed.map(([name]) => quoted(name)).join(', ')}`,
      `WHERE "claim" = ? AND "fence" = ? AND "owner" = ? AND "status" = ?`,
    ].join(' '),
    Parameters: [...set.map(([, value]) => value), claim.rowKey, claim.fence, claim.owner, 'leased'].map(
      toAttribute,
    ),
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
