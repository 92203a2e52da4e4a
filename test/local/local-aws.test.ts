import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

test('a client that knows nothing but the environment reaches the queue at its URL, and finds that URL by name', async () => {
  const { queueUrl } = await aws.createQueuePair({ name: 'receipts' });
  const program = `
    import { GetQueueUrlCommand, SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
    const sqs = new SQSClient({});
    await sqs.send(new SendMessageCommand({ QueueUrl: ${JSON.stringify(queueUrl)}, MessageBody: 'cup' }));
    console.log((await sqs.send(new GetQueueUrlCommand({ QueueName: 'receipts' }))).QueueUrl);`;
  const { AWS_PROFILE: _, ...inherited } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...inherited, ...aws.env },
  });
  expect(stdout).toBe(`${queueUrl}\n`);
  const { Messages = [] } = await aws.sqs().send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  expect(Messages.map(({ Body }) => Body)).toEqual(['cup']);
});

test.each([{ name: 'ledger', fifo: true }, { name: 'ledger.fifo' }])(
  'a FIFO pair has ARNs that end in .fifo: %o',
  async (options) => {
    const pair = await aws.createQueuePair(options);
    expect([pair.queueArn, pair.deadLetterQueueArn]).toEqual([
      expect.stringMatching(/:ledger\.fifo$/),
      expect.stringMatching(/:ledger-dlq\.fifo$/),
    ]);
  },
);

test.each([
  [{ name: 'two words' }, 'name is "two words"; give 1 to 76 letters'],
  [{ name: '.fifo' }, 'name is ""; give 1 to 71 letters'],
  [{ name: 'x'.repeat(77) }, 'give 1 to 76 letters'],
  [{ name: 'orders', maxReceiveCount: 0 }, 'maxReceiveCount is 0; give a whole number from 1 to 1000'],
])('what SQS would refuse is refused here: %o', async (options, sentence) => {
  await expect(aws.createQueuePair(options)).rejects.toThrow(sentence);
});
