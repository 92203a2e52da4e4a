export type { BundledFunctionProps } from './bundled-function.ts';
export type { AnyTable } from './checks/refuse-table.ts';
export {
  ClaimTable,
  type ClaimTableProps,
  type GrantClaimsOptions,
  type IClaimTable,
} from './claim-table.ts';
export { ConsumerAlarms, type ConsumerAlarmsProps } from './consumer-alarms.ts';
export type { ConsumerQueueProps, IdempotentConsumerProps } from './consumer-props.ts';
export { IdempotentConsumer } from './idempotent-consumer.ts';
export type { ConsumerMetric } from './metrics.ts';
