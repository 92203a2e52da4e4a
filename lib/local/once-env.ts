import type { QueuePair } from './queues.ts';

/** What the construct tells a function on AWS, for a worker here: table, queues, partial responses. */
export function onceEnvironment(tableName: string, pair: QueuePair): Record<string, string> {
  return {
    SQS_ONCE_TABLE: tableName,
    SQS_ONCE_QUEUE_URL: pair.queueUrl,
    SQS_ONCE_DLQ_URL: pair.deadLetterQueueUrl,
    SQS_ONCE_PARTIAL_RESPONSES: 'true',
  };
}
