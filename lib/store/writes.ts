import type { AttributeValue } from '@aws-sdk/client-dynamodb';

type Item = Record<string, AttributeValue>;

interface Conditional {
  TableName: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE';
}

/** One write of an attempt's transaction, marshalled and frozen: an item of `TransactWriteItems`. */
export type TransactionWrite =
  | { readonly Put: Conditional & { Item: Item } }
  | { readonly Update: Conditional & { Key: Item; UpdateExpression: string } }
  | { readonly Delete: Conditional & { Key: Item } }
  | { readonly ConditionCheck: Conditional & { Key: Item; ConditionExpression: string } };
