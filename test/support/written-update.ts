import type { Attributes, UpdateStatement } from '../../lib/store/table.ts';

/** An update as a test writes it: everything may be left out. */
export interface Written {
  readonly Key?: Attributes;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly values?: Attributes | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

/** AWS needs neither a condition nor placeholders; only the store's own statements always have them. */
export function writtenUpdate(
  TableName: string,
  Key: Attributes,
  { values, ...written }: Written,
): UpdateStatement {
  return {
    TableName,
    Key,
    UpdateExpression: 'REMOVE nothing',
    ...written,
    ...(values && { ExpressionAttributeValues: values }),
  } as UpdateStatement;
}
