import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';

let aws: LocalAws;
beforeAll(async () => {
  aws = await startLocalAws();
});
afterAll(() => aws.stop());

test('the claim table refuses a second conditional put of one claim', async () => {
  const TableName = await aws.createClaimTable();
  const put = new PutItemCommand({
    TableName,
    Item: { claim: { S: 'once' } },
    ConditionExpression: 'attribute_not_exists(claim)',
  });
  await aws.dynamo().send(put);
  await expect(aws.dynamo().send(put)).rejects.toThrow(
    expect.objectContaining({ name: 'ConditionalCheckFailedException' }),
  );
});

test('a message sent to a pair arrives, and after its last delivery lies in the dead-letter queue', async () => {
  const pair = await aws.createQueuePair({ name: 'orders', visibilityTimeoutSeconds: 0, maxReceiveCount: 1 });
  await aws.sqs().send(new SendMessageCommand({ QueueUrl: pair.queueUrl, MessageBody: 'cup' }));
  const receive = async (QueueUrl: string) => {
    const { Messages = [] } = await aws.sqs().send(new ReceiveMessageCommand({ QueueUrl }));
    return Messages.map((message) => message.Body);
  };
  expect(await receive(pair.queueUrl)).toEqual(['cup']);
  expect(await receive(pair.queueUrl)).toEqual([]);
  expect(await receive(pair.deadLetterQueueUrl)).toEqual(['cup']);
});

test('a FIFO pair has ARNs that end in .fifo', async () => {
  const pair = await aws.createQueuePair({ name: 'ledger', fifo: true });
  expect([pair.queueArn, pair.deadLetterQueueArn]).toEqual([
    expect.stringMatching(/:ledger\.fifo$/),
    expect.stringMatching(/:ledger-dlq\.fifo$/),
  ]);
});
