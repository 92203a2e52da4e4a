/** How failed messages wait. */
export interface BackoffRule {
  readonly minSeconds: number;
  readonly maxSeconds: number;
  readonly factor: number;
}

const mostSteps = 100;

/**
 * Exponential by the number of tries so far, with jitter in the upper half, so that a burst of failures does
 * not come back as a burst.
 */
export function backoffMillis(rule: BackoffRule, tries: number, chance: number): number {
  // Bounded, because nothing times endless is no number at all.
  const steps = Math.min(Math.max(0, tries - 1), mostSteps);
  const seconds = Math.min(rule.maxSeconds, rule.minSeconds * rule.factor ** steps);
  return seconds * (0.5 + chance / 2) * 1_000;
}

/**
 * The longest a message can still be hidden: SQS counts 12 hours from the receive and refuses more. When that
 * was nobody tells. It lies before the answer by a batching window of five minutes at most, throttled tries
 * and the invocation itself, for which half an hour is left free.
 */
export const longestReturnMillis = (12 * 60 - 30) * 60 * 1_000;
