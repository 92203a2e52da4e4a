import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SqsEvent } from '../../lib/arrive/record.ts';

/** A consumer as a Lambda function would export it. */
export type BatchHandler = (event: SqsEvent) => Promise<unknown>;

/** What every side's handler is given. */
export interface Order {
  readonly orderId: string;
  readonly amount: number;
}

export type Work = (order: Order) => Promise<unknown>;

/** One way to handle a batch without doing anything twice. */
export interface Side {
  readonly name: string;
  readonly table: string;
  readonly partitionKey: string;
  /** @param work user code, the same for every side */
  open(client: DynamoDBClient, work: Work): BatchHandler;
}

/** What Lambda hands to a handler, in the middle of a long invocation. */
export const lambdaContext = {
  awsRequestId: 'bench',
  functionName: 'bench',
  getRemainingTimeInMillis: () => 60_000,
};

export const receiptWork: Work = async ({ orderId, amount }) => ({ receipt: `of ${orderId}`, amount });
