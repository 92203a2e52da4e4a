// What a stranger does from a second terminal.
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Terminal } from '../../cli/terminal.ts';

let sends = 0;

export async function send(
  { sqs, queueUrl }: Terminal,
  body: Readonly<Record<string, string>>,
): Promise<void> {
  sends += 1;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(body),
      MessageGroupId: body.customerId ?? '',
      MessageDeduplicationId: `send-${sends}`,
    }),
  );
}

/** A queue's value of the metric an alarm watches, as SQS itself would report it. */
export async function visible({ sqs }: Terminal, QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** The URL of a queue the template made; creating it again with its own settings answers the same. */
export async function urlOf({ sqs }: Terminal, QueueName: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName }));
  return QueueUrl;
}
