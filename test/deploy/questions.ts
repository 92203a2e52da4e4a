import { BatchExecuteStatementCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { Deployment } from './deployment.ts';
import { eventually } from './outside.ts';

/**
 * What the documentation leaves open. The product is right under either answer, so nothing here can fail the
 * check; what AWS answered is printed.
 */
export const openQuestions: readonly (readonly [string, (deployment: Deployment) => Promise<string>])[] = [
  ['what survives a move task from a dead-letter queue?', afterAMoveTask],
  ['does a refused PartiQL INSERT in a batch bring the old item along?', refusedInsert],
  ['how is a PartiQL UPDATE of an item that is not there refused?', updateOfNothing],
  ['does an answer under a wrong top-level key delete the messages?', wrongTopLevelKey],
];

async function afterAMoveTask(): Promise<string> {
  const sqs = new SQSClient();
  const name = `sqs-once-question-${Date.now()}`;
  const dead = await madeQueue(sqs, `${name}-dead`, {});
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 });
  const source = await madeQueue(sqs, name, { RedrivePolicy });
  try {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: source.url,
        MessageBody: 'where do I go',
        MessageGroupId: 'tenant',
        MessageAttributes: { mark: { DataType: 'String', StringValue: 'kept' } },
      }),
    );
    const before = await receive(sqs, source.url);
    const putBack = { QueueUrl: source.url, ReceiptHandle: before.ReceiptHandle, VisibilityTimeout: 0 };
    await sqs.send(new ChangeMessageVisibilityCommand(putBack));
    // The next receive finds it over the limit and moves it.
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: source.url, WaitTimeSeconds: 5 }));
    await receive(sqs, dead.url, 0);
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: dead.arn }));
    return compared(before, await receive(sqs, source.url));
  } finally {
    for (const { url } of [source, dead]) await sqs.send(new DeleteQueueCommand({ QueueUrl: url }));
    sqs.destroy();
  }
}

async function refusedInsert({ outputs }: Deployment): Promise<string> {
  const insert = `INSERT INTO "${outputs.Captures}" VALUE {'orderId': 'asked'}`;
  await batch(insert);
  return batch(insert);
}

function updateOfNothing({ outputs }: Deployment): Promise<string> {
  return batch(`UPDATE "${outputs.Captures}" SET effect = 'none' WHERE orderId = 'never written'`);
}

async function wrongTopLevelKey({ outputs, outside }: Deployment): Promise<string> {
  if (outputs.Misnaming === undefined) return 'not asked: the queue was not deployed';
  await outside.send(outputs.Misnaming, 'delete me or not');
  await outside.untilIdle(outputs.Misnaming);
  return 'yes: the queue is empty although the function named a failure';
}

async function batch(Statement: string): Promise<string> {
  const database = new DynamoDBClient();
  const statement = { Statement, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  const { Responses } = await database.send(new BatchExecuteStatementCommand({ Statements: [statement] }));
  database.destroy();
  return JSON.stringify(Responses?.[0]);
}

async function madeQueue(
  sqs: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<{ readonly url: string; readonly arn: string }> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const answer = await sqs.send(asked);
  return { url: QueueUrl, arn: answer.Attributes?.QueueArn ?? '' };
}

function receive(sqs: SQSClient, QueueUrl: string, VisibilityTimeout = 30): Promise<Message> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    VisibilityTimeout,
    WaitTimeSeconds: 5,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  return eventually(
    'a message',
    async () => (await sqs.send(command)).Messages?.[0] ?? {},
    ({ MessageId }) => MessageId !== undefined,
  );
}

function compared(before: Message, after: Message): string {
  const told = (name: string, of: (message: Message) => unknown): string =>
    `${name} ${of(before)} → ${of(after)}`;
  return [
    told('message id', ({ MessageId }) => MessageId),
    told('sent', ({ Attributes }) => Attributes?.SentTimestamp),
    told('receives', ({ Attributes }) => Attributes?.ApproximateReceiveCount),
    told('group', ({ Attributes }) => Attributes?.MessageGroupId),
    told('attribute', ({ MessageAttributes }) => MessageAttributes?.mark?.StringValue),
  ].join(', ');
}
