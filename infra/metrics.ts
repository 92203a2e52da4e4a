import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { functionBehind } from './checks/function-settings.ts';

/** The metrics `emitMetrics()` publishes. */
export const consumerMetrics = [
  'Completed',
  'Failed',
  'Parked',
  'Deferred',
  'Duplicate',
  'InFlight',
  'KeyReused',
  'Takeover',
  'FencedOut',
  'StoreUnavailable',
  'Unstarted',
  'ParkFailed',
  'OutcomeUnrecorded',
  'Rejected',
  'FollowUpSent',
] as const;

/** One of the metrics `emitMetrics()` publishes. */
export type ConsumerMetric = (typeof consumerMetrics)[number];

/** Whose metric. */
export interface MetricSource {
  readonly function: IFunction;
  /** The scope the handler's consumer uses. */
  readonly scope: string;
}

/** How often something happened; by default the sum over five minutes. */
export function metricOf(source: MetricSource, name: ConsumerMetric, options: MetricOptions = {}): Metric {
  const behind = functionBehind(source.function);
  return new Metric({
    namespace: 'SqsOnce',
    metricName: name,
    // Under an alias too the runtime publishes the name of the function itself.
    dimensionsMap: { FunctionName: (behind ?? source.function).functionName, Scope: source.scope },
    statistic: 'Sum',
    ...options,
  });
}
