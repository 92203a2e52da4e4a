import type { AttributeValue, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';

export type Attributes = Record<string, AttributeValue>;

/** A conditional `UpdateItem`. */
export interface UpdateStatement {
  TableName: string;
  Key: Attributes;
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Attributes;
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
}

/** A conditional `PutItem`. */
export interface PutStatement {
  TableName: string;
  Item: Attributes;
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
}

export type TransactStatement = TransactWriteItemsCommandInput & {
  TransactItems: NonNullable<TransactWriteItemsCommandInput['TransactItems']>;
};

/**
 * The four calls a store makes, in DynamoDB's own shapes and with DynamoDB's own errors. The DynamoDB client
 * is one such table, the one in memory another; everything above is shared, statements included.
 */
export interface Table {
  put(statement: PutStatement, signal: AbortSignal): Promise<void>;
  update(statement: UpdateStatement, signal: AbortSignal): Promise<void>;
  transact(statement: TransactStatement, signal: AbortSignal): Promise<void>;
  get(tableName: string, key: Attributes, signal: AbortSignal): Promise<Attributes | undefined>;
}
