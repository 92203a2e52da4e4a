import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { startDynoxide } from './dynoxide.ts';
import { startFauxqs } from './fauxqs.ts';
import { createQueuePair, type QueuePair, type QueuePairOptions } from './queues.ts';
import { createClaimTable, createTable } from './tables.ts';

/** DynamoDB and SQS on this machine, empty, and gone when stopped or when this process ends. */
export interface LocalAws {
  readonly dynamoEndpoint: string;
  readonly sqsEndpoint: string;
  readonly region: 'us-east-1';
  /** Accepted by the emulators, worth nothing anywhere else. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The environment in which a process's own AWS clients find these endpoints. */
  readonly env: Readonly<Record<string, string>>;
  /** A client of the local DynamoDB, the same one each time, closed by `stop`. */
  dynamo(): DynamoDBClient;
  /** A client of the local SQS, the same one each time, closed by `stop`. */
  sqs(): SQSClient;
  /**
   * Creates a table for claims, TTL switched on; answers its name. The emulator deletes nothing by TTL.
   * @param name - default `claims`
   */
  createClaimTable(name?: string): Promise<string>;
  /** Creates a table with one string partition key; answers its name. */
  createTable(name: string, partitionKey: string): Promise<string>;
  /** Creates a queue with its dead-letter queue. */
  createQueuePair(options: QueuePairOptions): Promise<QueuePair>;
  /** Ends both services and closes the clients. */
  stop(): Promise<void>;
}

/**
 * Starts a local DynamoDB and a local SQS on free loopback ports.
 * @throws Error when an emulator is not installed, with the one npm command that installs what is missing.
 * @example
 * const aws = await startLocalAws();
 * const tableName = await aws.createClaimTable();
 * const { queueUrl } = await aws.createQueuePair({ name: 'orders' });
 * await aws.stop();
 */
export async function startLocalAws(): Promise<LocalAws> {
  const [dynamo, queues] = await Promise.allSettled([startDynoxide(), startFauxqs()]);
  if (dynamo.status === 'rejected' || queues.status === 'rejected') {
    for (const started of [dynamo, queues]) if (started.status === 'fulfilled') await started.value.stop();
    throw dynamo.status === 'rejected' ? dynamo.reason : (queues as PromiseRejectedResult).reason;
  }
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const dynamoClient = new DynamoDBClient({ endpoint: dynamo.value.endpoint, region, credentials });
  const sqsClient = new SQSClient({ endpoint: queues.value.endpoint, region, credentials });
  return {
    dynamoEndpoint: dynamo.value.endpoint,
    sqsEndpoint: queues.value.endpoint,
    region,
    credentials,
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.value.endpoint,
      AWS_ENDPOINT_URL_SQS: queues.value.endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    dynamo: () => dynamoClient,
    sqs: () => sqsClient,
    createClaimTable: (name) => createClaimTable(dynamoClient, name),
    createTable: (name, partitionKey) => createTable(dynamoClient, name, partitionKey),
    createQueuePair: (options) => createQueuePair(sqsClient, options),
    async stop() {
      dynamoClient.destroy();
      sqsClient.destroy();
      await Promise.all([dynamo.value.stop(), queues.value.stop()]);
    },
  };
}
