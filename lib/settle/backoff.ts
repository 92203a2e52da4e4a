/** How failed messages wait. */
export interface BackoffRule {
  readonly minSeconds: number;
  readonly maxSeconds: number;
  readonly factor: number;
}

/**
 * Exponential by the number of tries so far, with jitter in the upper half, so that a burst of failures does
 * not come back as a burst.
 */
export function backoffMillis(rule: BackoffRule, tries: number, chance: number): number {
  // Nothing stays nothing; multiplied by a power beyond all numbers it would be none.
  const grown = rule.minSeconds === 0 ? 0 : rule.minSeconds * rule.factor ** Math.max(0, tries - 1);
  const seconds = Math.min(rule.maxSeconds, grown);
  return seconds * (0.5 + chance / 2) * 1_000;
}

/**
 * The longest a message can still be hidden: SQS counts 12 hours from the receive and refuses more. When that
 * was nobody tells. It lies before the answer by a batching window of five minutes at most, throttled tries
 * and the invocation itself, for which half an hour is left free.
 */
export const longestReturnMillis = (12 * 60 - 30) * 60 * 1_000;
