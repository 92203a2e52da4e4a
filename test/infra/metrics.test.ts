import { afterEach, expect, it, vi } from 'vitest';
import { consumerMetrics } from '../../infra/metrics.ts';
import type { OnceEventType } from '../../lib/index.ts';
import { emitMetrics } from '../../lib/index.ts';

/** Every event a message can end in; the type-checker sees to it that none is forgotten. */
const everyEvent: Readonly<Record<OnceEventType, true>> = {
  claimed: true,
  'taken-over': true,
  'in-flight': true,
  duplicate: true,
  'key-reused': true,
  completed: true,
  rejected: true,
  failed: true,
  deferred: true,
  parked: true,
  'park-failed': true,
  'fenced-out': true,
  'outcome-unrecorded': true,
  'store-unavailable': true,
  unstarted: true,
  'follow-up-sent': true,
  claiming: true,
  starting: true,
  settling: true,
  parking: true,
  sending: true,
  answering: true,
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('the constructs listen to exactly the metrics the runtime publishes, under the same dimensions', async () => {
  // Prints through the console that is watched here, and prints at all.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'work');
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const observe = emitMetrics();
  const types = Object.keys(everyEvent).filter((type) => type !== 'answering') as OnceEventType[];
  for (const type of types) observe({ type, scope: 'capture-payment' });
  observe({ type: 'answering', scope: 'capture-payment' });
  await vi.waitFor(() => expect(printed).toHaveBeenCalled());

  const { _aws, FunctionName, Scope } = JSON.parse(String(printed.mock.calls[0]?.[0]));
  const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
  expect(Namespace).toBe('SqsOnce');
  expect(Dimensions[0].sort()).toEqual(['FunctionName', 'Scope']);
  expect({ FunctionName, Scope }).toEqual({ FunctionName: 'work', Scope: 'capture-payment' });
  expect(Metrics.map(({ Name }: { Name: string }) => Name).sort()).toEqual([...consumerMetrics].sort());
});
