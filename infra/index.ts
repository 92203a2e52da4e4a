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
export { IdempotentReceiver } from './idempotent-receiver.ts';
export type { ConsumerMetric } from './metrics.ts';
export { ReceiverAlarms, type ReceiverAlarmsProps } from './receiver-alarms.ts';
export type { IdempotentReceiverProps, ReceiverRoute } from './receiver-props.ts';
