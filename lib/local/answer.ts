/** What an event source mapping makes of a function's answer. */
export type Judgement =
  | { readonly status: 'succeeded' }
  /** Only these message ids go back to the queue. */
  | { readonly status: 'partly-failed'; readonly failedIds: ReadonlySet<string> }
  /** The answer cannot be understood, so the whole batch goes back. */
  | { readonly status: 'malformed'; readonly reason: string };

/**
 * Judges a function's answer, as JSON text, by the rules of an event source mapping for SQS that has
 * `ReportBatchItemFailures` switched on. An answer that says nothing of failures is a success, and so,
 * dangerously, is one that misspells the list's name. What cannot be understood fails the whole batch.
 */
export function judgeAnswer(json: string, batchIds: ReadonlySet<string>): Judgement {
  const answer: unknown = JSON.parse(json);
  if (answer === null) return { status: 'succeeded' };
  // AWS does not say what it makes of a bare string or list. To return the batch loses nothing.
  if (typeof answer !== 'object' || Array.isArray(answer)) {
    return malformed(`the answer is ${nameOf(answer)}; expected an object or nothing`);
  }
  const failures: unknown = 'batchItemFailures' in answer ? answer.batchItemFailures : null;
  if (failures === null) return { status: 'succeeded' };
  if (!Array.isArray(failures)) {
    return malformed(`batchItemFailures is ${nameOf(failures)}; expected a list`);
  }
  return judgeFailures(failures, batchIds);
}

function judgeFailures(failures: readonly unknown[], batchIds: ReadonlySet<string>): Judgement {
  const failedIds = new Set<string>();
  for (const [index, entry] of failures.entries()) {
    const place = `batchItemFailures[${index}]`;
    if (typeof entry !== 'object' || entry === null || !('itemIdentifier' in entry)) {
      return malformed(`${place} has no itemIdentifier`);
    }
    const { itemIdentifier } = entry;
    if (typeof itemIdentifier !== 'string' || itemIdentifier === '') {
      return malformed(`${place}.itemIdentifier is ${nameOf(itemIdentifier)}; expected a message id`);
    }
    if (!batchIds.has(itemIdentifier)) {
      return malformed(`${place}.itemIdentifier names no message of this batch`);
    }
    failedIds.add(itemIdentifier);
  }
  return failedIds.size === 0 ? { status: 'succeeded' } : { status: 'partly-failed', failedIds };
}

function malformed(reason: string): Judgement {
  return { status: 'malformed', reason };
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'empty';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
