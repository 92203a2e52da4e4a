import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { type BatchHandler, lambdaContext, type Order, type Side, type Work } from './side.ts';

const table = 'idempotency';

/** As its documentation has it: the record handler calls an idempotent function with the parsed body. */
function openWith(
  makeProcessor: () => BatchProcessor | SqsFifoPartialProcessorAsync,
  client: DynamoDBClient,
  work: Work,
): BatchHandler {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' });
  const context = lambdaContext as unknown as Context;
  const processor = makeProcessor();
  const once = makeIdempotent(async (order: Order) => (await work(order)) as Record<string, string>, {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: table, awsSdkV3Client: client }),
    config,
  });
  const recordHandler = async (record: SQSRecord) => once(JSON.parse(record.body));
  return (event) => {
    config.registerLambdaContext(context);
    return processPartialResponse(event as unknown as SQSEvent, recordHandler, processor, {
      context,
      throwOnFullBatchFailure: false,
    });
  };
}

export const peer: Side = {
  name: 'Powertools',
  table,
  partitionKey: 'id',
  open: (client, work) => openWith(() => new BatchProcessor(EventType.SQS), client, work),
};

/** For FIFO queues it has another processor. */
export const fifoPeer: Side = {
  ...peer,
  open: (client, work) => openWith(() => new SqsFifoPartialProcessorAsync(), client, work),
};
