/** The arithmetic behind the checks, where both the defaults and the refusals find it. */

/** What the runtime and Lambda take when nothing is given. */
export const defaults = { maxAttempts: 5, batchSize: 10 };

/** The most receives an SQS redrive policy counts. */
export const mostReceives = 1_000;
/** The longest SQS hides a message. */
export const longestVisibilitySeconds = 43_200;

/**
 * A batch that Lambda could not start is tried again until its messages' visibility ends; Lambda asks for six
 * times the function's timeout so that this does not reach a message whose function still runs. The batching
 * window eats from the same time.
 */
export function leastVisibilityTimeoutSeconds(call: {
  readonly functionTimeoutSeconds: number;
  readonly batchingWindowSeconds: number;
}): number {
  return 6 * call.functionTimeoutSeconds + call.batchingWindowSeconds;
}

/**
 * A receive is not an attempt: throttled calls and bounced duplicates cost receives too, so SQS's own limit
 * must lie well above ours. On FIFO each failure of a group's head returns its followers, which costs every
 * message of the batch a receive.
 */
export function leastMaxReceiveCount(limits: {
  readonly fifo: boolean;
  readonly maxAttempts: number | undefined;
  readonly batchSize: number | undefined;
}): number {
  const { maxAttempts = defaults.maxAttempts, batchSize = defaults.batchSize } = limits;
  return limits.fifo ? Math.max(3 * maxAttempts, maxAttempts * batchSize) : 3 * maxAttempts;
}
