import { expectWithin } from '../expect-within.ts';
import type { LocalOptions } from './local-world.ts';

/** What a person may leave out, and what is taken then. */
export const usualTimeoutSeconds = 30;
export const usualVisibilitySeconds = (timeoutSeconds: number) => 6 * timeoutSeconds;

/**
 * Refuses what no queue or mapping takes, under the names a person typed and before anything is started.
 *
 * @throws RangeError with the option, the value got and what would do
 */
export function refuseOptions(options: LocalOptions): void {
  const { workers, dlq, batchSize, timeout = usualTimeoutSeconds, visibility } = options;
  expectWithin('--workers', workers, 1, 64);
  expectWithin('--dlq', dlq, 1, 1_000);
  if (!(timeout > 0 && timeout <= 900)) {
    throw new RangeError(`--timeout is ${timeout}; give more than 0 and at most 900 seconds`);
  }
  // What else would do is in the template, where there is one.
  if (options.template !== undefined) return;
  if (batchSize !== undefined) expectWithin('--batch-size', batchSize, 1, 10);
  if (visibility === undefined) return;
  expectWithin('--visibility', visibility, 0, 43_200);
  if (visibility >= timeout) return;
  const functionTimeout = `--timeout ${timeout}${options.timeout === undefined ? ', the default' : ''}`;
  throw new RangeError(
    `--visibility is ${visibility}, shorter than a function may run (${functionTimeout}); give at least ${Math.ceil(timeout)} seconds, better ${Math.ceil(usualVisibilitySeconds(timeout))}`,
  );
}

/** What a template says of the queue and its mapping. */
interface TemplateLimits {
  readonly visibilityTimeoutSeconds: number;
  readonly mostInBatch: number;
}

/**
 * The same for options that change what a template says.
 *
 * @throws RangeError with the option, the value got and what would do
 */
export function refuseOverTemplate(
  { timeout, batchSize }: LocalOptions,
  { visibilityTimeoutSeconds, mostInBatch }: TemplateLimits,
): void {
  if (batchSize !== undefined) expectWithin('--batch-size', batchSize, 1, mostInBatch);
  if (timeout === undefined || !(timeout > visibilityTimeoutSeconds)) return;
  throw new RangeError(
    `--timeout is ${timeout}, longer than the template's queue hides a message; give at most ${visibilityTimeoutSeconds} seconds, better a sixth of it`,
  );
}
