import { Stack } from 'aws-cdk-lib';
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import { knownNumber, resourceOf } from './resolved.ts';

/** What a queue is set to once everything that changes it has run; undefined where a token hides it. */
export interface QueueSettings {
  readonly fifo: boolean;
  readonly retentionSeconds: number | undefined;
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly delaySeconds: number | undefined;
  readonly redrive: RedriveSettings | undefined;
}

export interface RedriveSettings {
  readonly maxReceiveCount: number | undefined;
  /** The same as the template has it, token or not. */
  readonly statedMaxReceiveCount: unknown;
  /** The dead-letter queue's ARN as CloudFormation will see it, for comparing. */
  readonly target: string;
}

/** SQS's own defaults, for what a template leaves out. */
const sqsDefaults = { retentionSeconds: 345_600, visibilityTimeoutSeconds: 30, delaySeconds: 0 };

/** The settings of a queue in this app, or undefined for one outside it. */
export function queueSettings(queue: IQueue): QueueSettings | undefined {
  const resource = resourceOf(queue, CfnQueue.isCfnQueue);
  if (resource === undefined) return undefined;
  const known = (value: unknown, otherwise: number): number | undefined =>
    value === undefined ? otherwise : knownNumber(resource, value);
  return {
    fifo: queue.fifo,
    retentionSeconds: known(resource.messageRetentionPeriod, sqsDefaults.retentionSeconds),
    visibilityTimeoutSeconds: known(resource.visibilityTimeout, sqsDefaults.visibilityTimeoutSeconds),
    delaySeconds: known(resource.delaySeconds, sqsDefaults.delaySeconds),
    redrive: redriveSettings(resource),
  };
}

function redriveSettings(resource: CfnQueue): RedriveSettings | undefined {
  const policy: unknown = Stack.of(resource).resolve(resource.redrivePolicy);
  if (typeof policy !== 'object' || policy === null) return undefined;
  const { maxReceiveCount, deadLetterTargetArn } = policy as Record<string, unknown>;
  return {
    maxReceiveCount: knownNumber(resource, maxReceiveCount),
    statedMaxReceiveCount: maxReceiveCount,
    target: JSON.stringify(deadLetterTargetArn),
  };
}
