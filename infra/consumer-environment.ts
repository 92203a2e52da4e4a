import { type ConsumerParts, claimRetentionSeconds } from './checks/consumer-wiring.ts';
import { queueSettings } from './checks/queue-settings.ts';
import type { IClaimTable } from './claim-table.ts';
import type { IdempotentConsumerProps } from './consumer-props.ts';
import { asText, atSynth, type Environment } from './environment.ts';

/** What a consumer's function is told about its surroundings. */
export function consumerEnvironment(
  parts: ConsumerParts & { readonly claimTable: IClaimTable },
  props: IdempotentConsumerProps,
): Environment {
  return {
    SQS_ONCE_TABLE: parts.claimTable.table.tableName,
    SQS_ONCE_QUEUE_URL: parts.queue.queueUrl,
    SQS_ONCE_DLQ_URL: parts.deadLetterQueue.queueUrl,
    SQS_ONCE_RETENTION_SECONDS: atSynth(() => claimRetentionSeconds(parts, props)),
    SQS_ONCE_PARTIAL_RESPONSES: 'true',
    ...maxReceiveCount(parts, props),
    ...(props.maxAttempts !== undefined && { SQS_ONCE_MAX_ATTEMPTS: asText(props.maxAttempts) }),
    ...(props.leaseSeconds !== undefined && { SQS_ONCE_LEASE_SECONDS: asText(props.leaseSeconds) }),
    ...(props.claim !== undefined && { SQS_ONCE_CLAIM: props.claim }),
  };
}

/** Which prop says what the runtime reads from a variable that is not always set here. */
export const consumerVariables = {
  SQS_ONCE_MAX_RECEIVE_COUNT: 'maxReceiveCount',
  SQS_ONCE_MAX_ATTEMPTS: 'maxAttempts',
  SQS_ONCE_LEASE_SECONDS: 'leaseSeconds',
  SQS_ONCE_CLAIM: 'claim',
} as const satisfies Environment;

/** Left out where a queue outside this app hides it: a wrong number would let poison vanish without its reason. */
function maxReceiveCount(parts: ConsumerParts, props: IdempotentConsumerProps): Environment {
  if (queueSettings(parts.queue) !== undefined) {
    const stated = (): unknown => queueSettings(parts.queue)?.redrive?.statedMaxReceiveCount;
    return { SQS_ONCE_MAX_RECEIVE_COUNT: atSynth(stated) };
  }
  return props.maxReceiveCount === undefined
    ? {}
    : { SQS_ONCE_MAX_RECEIVE_COUNT: asText(props.maxReceiveCount) };
}
