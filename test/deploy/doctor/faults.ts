import { CreateQueueCommand, DeleteQueueCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import type { Heal, Ward } from './ward.ts';

/** Something that goes wrong in accounts, and what the doctor has to say of it. */
export interface Fault {
  /** All the findings there are then: nothing healthy is complained of. */
  readonly findings: readonly string[];
  /** Part of what is said of the first. */
  readonly said: string;
  plant(ward: Ward): Promise<Heal>;
}

const onlyWarned: ReadonlySet<string> = new Set([
  'ttl-off',
  'not-restorable',
  'not-protected',
  'alarm-missing',
  'alarm-tells-nobody',
  'reserved-without-maximum',
  'dead-letter-retention-short',
  'dead-letters-waiting',
]);

/** What the doctor ends with: warnings alone are no reason to stop a pipeline. */
export function exitCodeOf({ findings }: Fault): number {
  return findings.every((id) => onlyWarned.has(id)) ? 0 : 1;
}

const found = (findings: string, said: string, plant: Fault['plant']): Fault => ({
  findings: findings.split(' '),
  said,
  plant,
});

export const faults: readonly Fault[] = [
  found('partial-responses-off', 'does not report batch item failures', (ward) =>
    ward.mapping({ FunctionResponseTypes: [] }),
  ),
  found('mapping-disabled', 'the event source mapping is disabled', (ward) =>
    ward.mapping({ Enabled: false }),
  ),
  found('visibility-too-short', 'the queue hides a message for 119 s', (ward) =>
    ward.queue('Queue', { VisibilityTimeout: '119' }),
  ),
  found('visibility-too-short', 'the queue hides a message for 120 s', (ward) =>
    ward.mapping({ MaximumBatchingWindowInSeconds: 30 }),
  ),
  found('lease-outlives-visibility', 'SQS_ONCE_LEASE_SECONDS is 121, the visibility timeout 120 s', (ward) =>
    ward.variables({ SQS_ONCE_LEASE_SECONDS: '121' }),
  ),
  found('redrive-missing unseen-deadLetterQueue unseen-alarms', 'the queue has no redrive policy', (ward) =>
    ward.queue('Queue', { RedrivePolicy: '' }),
  ),
  found('receives-too-few receives-disagree', "the queue's maxReceiveCount is 2", (ward) =>
    redrive(ward, { maxReceiveCount: 2 }),
  ),
  found(
    'queue-types-differ dead-letter-queues-disagree right-missing alarm-missing dead-letter-retention-short',
    'its dead-letter queue FIFO',
    async (ward) => {
      await create(ward, 'another-kind.fifo', { FifoQueue: 'true' });
      return redriveTo(ward, 'another-kind.fifo');
    },
  ),
  found('dead-letter-queue-missing unseen-alarms', 'which does not exist', async (ward) => {
    const QueueUrl = await create(ward, 'deleted-later', {});
    const heal = await redriveTo(ward, 'deleted-later');
    await ward.deployment.outside.queues.send(new DeleteQueueCommand({ QueueUrl }));
    return heal;
  }),
  found('dead-letter-retention-too-short', 'keeps messages for 1 day, the queue for 4 days', (ward) =>
    ward.queue('DeadLetterQueue', { MessageRetentionPeriod: '86400' }),
  ),
  found('retention-too-short', 'claims are kept for 1 day', (ward) =>
    ward.variables({ SQS_ONCE_RETENTION_SECONDS: '86400' }),
  ),
  found('ttl-attribute', 'TTL is on for the attribute date', (ward) => ward.ttl('date', true)),
  found('ttl-off', 'TTL is off', (ward) => ward.ttl('expiresAt', false)),
  found(
    'table-key right-missing ttl-off not-restorable not-protected',
    "the claim table's key is orderId (HASH, S)",
    (ward) => ward.variables({ SQS_ONCE_TABLE: ward.deployment.outputs.Captures }),
  ),
  found('table-missing', 'the claim table does not exist', (ward) =>
    ward.variables({ SQS_ONCE_TABLE: 'nowhere' }),
  ),
  found('not-restorable', 'point-in-time recovery is off', (ward) => ward.backups(false)),
  found('not-protected', 'deletion protection is off', (ward) => ward.protection(false)),
  found('right-missing', "the function's role may not sqs:SendMessage", (ward) =>
    ward.deny('sqs:SendMessage'),
  ),
  found('alarm-missing', 'no alarm watches', (ward) => ward.noAlarm()),
  found('alarm-tells-nobody', 'has no action, or its actions are off', (ward) => ward.silenceAlarm()),
  found('reserved-without-maximum', 'has 5 reserved executions', (ward) => ward.reserve(5)),
  found('runtime-too-old', "the function's runtime is nodejs20.x", (ward) => ward.runtime('nodejs20.x')),
  found('dead-letters-waiting', 'about 1', async ({ deployment }) => {
    await deployment.outside.send(deployment.outputs.DeadLetterQueue, '{}');
    return () => deployment.drain('DeadLetterQueue');
  }),
];

async function create(
  ward: Ward,
  QueueName: string,
  Attributes: Partial<Record<QueueAttributeName, string>>,
): Promise<string | undefined> {
  const command = new CreateQueueCommand({ QueueName, Attributes });
  return (await ward.deployment.outside.queues.send(command)).QueueUrl;
}

async function redrive(ward: Ward, change: object): Promise<Heal> {
  const { RedrivePolicy = '{}' } = await ward.attributesOf('Queue');
  const policy = { ...(JSON.parse(RedrivePolicy) as object), ...change };
  return ward.queue('Queue', { RedrivePolicy: JSON.stringify(policy) });
}

async function redriveTo(ward: Ward, name: string): Promise<Heal> {
  const { QueueArn = '' } = await ward.attributesOf('Queue');
  const deadLetterTargetArn = [...QueueArn.split(':').slice(0, -1), name].join(':');
  return redrive(ward, { deadLetterTargetArn });
}
