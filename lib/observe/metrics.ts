import type { Metrics } from '@aws-lambda-powertools/metrics';
import type { Observer, OnceEventType } from './events.ts';
import { warnOnce } from './warn-once.ts';

/** Names as the alarms and the dashboard of the constructs know them. */
const metricNames: Readonly<Partial<Record<OnceEventType, string>>> = {
  completed: 'Completed',
  failed: 'Failed',
  parked: 'Parked',
  deferred: 'Deferred',
  duplicate: 'Duplicate',
  'in-flight': 'InFlight',
  'key-reused': 'KeyReused',
  'taken-over': 'Takeover',
  'fenced-out': 'FencedOut',
  'store-unavailable': 'StoreUnavailable',
  unstarted: 'Unstarted',
  'park-failed': 'ParkFailed',
  'outcome-unrecorded': 'OutcomeUnrecorded',
  rejected: 'Rejected',
  'follow-up-sent': 'FollowUpSent',
};

/** Counts of one scope since the last flush, by metric. */
type Counts = Map<string, Map<string, number>>;

/**
 * An observer that counts everything that became of messages: namespace `SqsOnce`, dimensions `FunctionName`
 * and `Scope`, written in CloudWatch's embedded metric format before each answer, whether the invocation
 * succeeds, answers early or fails. It needs `@aws-lambda-powertools/metrics`, an optional peer.
 *
 * @example
 * ```ts
 * const payments = idempotentConsumer({ scope: 'capture-payment', observers: [emitMetrics()] });
 * ```
 */
export function emitMetrics(): Observer {
  let library: typeof import('@aws-lambda-powertools/metrics') | undefined;
  const loading = import('@aws-lambda-powertools/metrics').then(
    (loaded) => {
      library = loaded;
    },
    () => warnOnce('metrics', 'emitMetrics() needs @aws-lambda-powertools/metrics; nothing is counted'),
  );
  let counts: Counts = new Map();

  function flush(): void {
    if (library === undefined) return;
    const flushed = counts;
    counts = new Map();
    for (const [scope, byName] of flushed)
      write(new library.Metrics({ namespace: 'SqsOnce' }), scope, byName);
  }

  return ({ type, scope }) => {
    const name = metricNames[type];
    if (name !== undefined) count(counts, scope, name);
    if (type !== 'answering') return;
    if (library !== undefined) flush();
    else void loading.then(flush);
  };
}

function count(counts: Counts, scope: string, name: string): void {
  let byName = counts.get(scope);
  if (byName === undefined) {
    byName = new Map();
    counts.set(scope, byName);
  }
  byName.set(name, (byName.get(name) ?? 0) + 1);
}

function write(metrics: Metrics, scope: string, byName: ReadonlyMap<string, number>): void {
  // Without a service dimension: alarms look a metric up by exactly the dimensions it was written with.
  metrics.clearDefaultDimensions();
  metrics.addDimensions({ FunctionName: process.env.AWS_LAMBDA_FUNCTION_NAME ?? 'local', Scope: scope });
  for (const [name, value] of byName) metrics.addMetric(name, 'Count', value);
  metrics.publishStoredMetrics();
}
