import type { SqsBatchResponse } from '../arrive/record.ts';

/**
 * The answer Lambda understands, and no other: ids of this event, none blank, none twice. An id that is
 * empty or unknown makes AWS fail the whole batch, finished messages included.
 */
export function batchResponse(failedMessageIds: Iterable<string>): SqsBatchResponse {
  return {
    batchItemFailures: [...new Set(failedMessageIds)].map((itemIdentifier) => ({ itemIdentifier })),
  };
}
