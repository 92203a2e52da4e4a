import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ConfigurationError } from '../lib/errors.ts';
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

/** How often something happened; by default the sum over five minutes. */
export function metricOf(
  source: { readonly function: IFunction; readonly metricsScope?: string },
  name: ConsumerMetric,
  options: MetricOptions = {},
): Metric {
  if (source.metricsScope === undefined) {
    throw new ConfigurationError(
      `metric is ${name}, but metrics is off; give metrics: true and the scope the handler uses`,
    );
  }
  // Under an alias too the runtime publishes the name of the function itself.
  const { functionName } = functionBehind(source.function) ?? source.function;
  return new Metric({
    namespace: 'SqsOnce',
    metricName: name,
    dimensionsMap: { FunctionName: functionName, Scope: source.metricsScope },
    statistic: 'Sum',
    ...options,
  });
}
