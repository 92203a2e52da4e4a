import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { isFifoArn } from '../arrive/record.ts';
import { type Clients, lookAt } from './clients.ts';
import type { QueueFacts, Seen } from './facts.ts';

/** A queue by its URL, ARN or name. */
export function lookAtQueue({ sqs }: Clients, queue: string): Promise<Seen<QueueFacts>> {
  return lookAt(async () => {
    const QueueUrl = await urlOf(sqs, queue);
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    const { QueueArn: arn } = Attributes;
    if (arn === undefined) return undefined;
    return {
      url: QueueUrl,
      arn,
      name: arn.split(':').at(-1) ?? arn,
      fifo: isFifoArn(arn),
      visibilityTimeoutSeconds: Number(Attributes.VisibilityTimeout ?? 30),
      retentionSeconds: Number(Attributes.MessageRetentionPeriod ?? 345_600),
      delaySeconds: Number(Attributes.DelaySeconds ?? 0),
      waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      redrive: redriveOf(Attributes.RedrivePolicy),
    };
  });
}

async function urlOf(sqs: Clients['sqs'], queue: string): Promise<string> {
  if (URL.canParse(queue) && !queue.startsWith('arn:')) return queue;
  const [account, name] = queue.startsWith('arn:') ? queue.split(':').slice(-2) : [undefined, queue];
  const { QueueUrl } = await sqs.send(
    new GetQueueUrlCommand({
      QueueName: name,
      ...(account !== undefined ? { QueueOwnerAWSAccountId: account } : {}),
    }),
  );
  return QueueUrl ?? '';
}

function redriveOf(policy: string | undefined): QueueFacts['redrive'] {
  if (policy === undefined || policy === '') return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy) as {
    deadLetterTargetArn?: string;
    maxReceiveCount?: number | string;
  };
  if (deadLetterTargetArn === undefined) return undefined;
  return { targetArn: deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) };
}
