import { randomUUID } from 'node:crypto';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { judgeAnswer } from './answer.ts';
import type { Delivery, FailureReason, RemoteError, Report } from './events.ts';
import { acknowledge } from './queue.ts';
import type { InvocationEnd } from './worker.ts';
import type { WorkerSlot } from './worker-slot.ts';

/** Where batches come from, and what to read in an answer. */
export interface Mapping {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly reportBatchItemFailures: boolean;
  readonly report: Report;
}

/** What becomes of a batch. */
type Fate =
  | { readonly status: 'answered'; readonly failedIds: ReadonlySet<string> }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly error?: RemoteError };

/** Hands one batch to a worker and deletes from the queue what its answer allows. */
export async function runBatch(
  mapping: Mapping,
  slot: WorkerSlot,
  deliveries: readonly Delivery[],
): Promise<void> {
  const { sqs, queueUrl, report } = mapping;
  const invocation = { worker: slot.number, requestId: randomUUID() };
  report({ type: 'delivered', ...invocation, deliveries });
  const records = deliveries.map((delivery) => delivery.record);
  const startedAt = performance.now();
  const end = await slot.invoke(records, invocation.requestId);
  const durationMillis = performance.now() - startedAt;
  const batchIds = new Set(records.map((record) => record.messageId));
  const fate = decideFate(end, batchIds, mapping.reportBatchItemFailures);
  if (fate.status === 'failed') {
    const { status: _, ...failure } = fate;
    report({ type: 'failed', ...invocation, durationMillis, ...failure, returned: deliveries });
    return;
  }
  const isReturned = ({ record }: Delivery) => fate.failedIds.has(record.messageId);
  const returned = deliveries.filter(isReturned);
  const acknowledged = deliveries.filter((delivery) => !isReturned(delivery));
  try {
    await acknowledge(sqs, queueUrl, acknowledged);
  } catch (error) {
    report({ type: 'trouble', error: error as Error });
  }
  report({ type: 'answered', ...invocation, durationMillis, acknowledged, returned });
}

function decideFate(
  end: InvocationEnd,
  batchIds: ReadonlySet<string>,
  reportBatchItemFailures: boolean,
): Fate {
  if (end.status === 'threw') return { status: 'failed', reason: 'threw', error: end.error };
  if (end.status !== 'answered') return { status: 'failed', reason: end.status };
  if (!reportBatchItemFailures) return { status: 'answered', failedIds: new Set() };
  const judgement = judgeAnswer(end.json, batchIds);
  if (judgement.status === 'malformed') {
    const error = { name: 'MalformedAnswer', message: judgement.reason };
    return { status: 'failed', reason: 'malformed', error };
  }
  const failedIds = judgement.status === 'succeeded' ? new Set<string>() : judgement.failedIds;
  return { status: 'answered', failedIds };
}
