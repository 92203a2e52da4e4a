// A synthesized stack runs here with the settings it has there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { environmentOf, type SeededStack, seedStack } from '../../lib/local/stack/seed.ts';
import { consumerOf, handlerOf, readTemplate, type Template } from '../../lib/local/stack/template.ts';

const att = (id: string, name = 'Arn') => ({ 'Fn::GetAtt': [id, name] });
const queue = (properties = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });
const fn = (code: string, variables = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Handler: 'index.handler',
    Timeout: 20,
    Code: { S3Key: `${code}.zip` },
    Environment: { Variables: variables },
  },
});
const mapping = (source: string, target: string) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: att(source), FunctionName: { Ref: target } },
});

const resources = {
  // The source stands before its dead-letter queue, as names may have it.
  PayQueue: queue({
    VisibilityTimeout: 120,
    RedrivePolicy: { deadLetterTargetArn: att('PayDead'), maxReceiveCount: 50 },
  }),
  PayDead: queue({ MessageRetentionPeriod: 1_209_600 }),
  MailQueue: queue({ FifoQueue: true }),
  Claims: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      KeySchema: [{ AttributeName: 'claim', KeyType: 'HASH' }],
      AttributeDefinitions: [
        { AttributeName: 'claim', AttributeType: 'S' },
        { AttributeName: 'indexed', AttributeType: 'S' },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    },
  },
  PayFunction: fn('abc', {
    SQS_ONCE_TABLE: { Ref: 'Claims' },
    SQS_ONCE_QUEUE_URL: { Ref: 'PayQueue' },
    QUEUE_NAME: att('PayQueue', 'QueueName'),
    DEAD_ARN: att('PayDead'),
    LEVEL: 'debug',
    BUCKET: { Ref: 'Bucket' },
  }),
  MailFunction: fn('missing'),
  PayMapping: mapping('PayQueue', 'PayFunction'),
  MailMapping: mapping('MailQueue', 'MailFunction'),
};

let folder: string;
let template: Template;

function written(content: object, name = 'Shop.template.json'): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return join(folder, name);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqs-once-stack-'));
  template = readTemplate(written({ Resources: resources }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the consumer', () => {
  test('is the one that is named by the begin of its function or its queue', () => {
    expect(consumerOf(template, 'Pay').fn.id).toBe('PayFunction');
    expect(consumerOf(template, 'MailQueue').fn.id).toBe('MailFunction');
  });

  test('has to be named where there are several, and to be there', () => {
    expect(() => consumerOf(template, undefined)).toThrow('PayFunction, MailFunction');
    expect(() => consumerOf(template, 'Ship')).toThrow('--consumer');
    expect(() => consumerOf(readTemplate(written({ Resources: {} }, 'empty.json')), undefined)).toThrow(
      'joins no queue',
    );
    expect(() => readTemplate(written({}, 'none.json'))).toThrow('no CloudFormation template');
  });

  test('has its code beside the template, or a handler that is named', () => {
    expect(() => handlerOf(template, consumerOf(template, 'Mail').fn)).toThrow('--handler');
    writeFileSync(join(folder, 'asset.abc'), '');
    expect(handlerOf(template, consumerOf(template, 'Pay').fn)).toBe(join(folder, 'asset.abc/index.handler'));
  });
});

describe('seeded', () => {
  let aws: LocalAws;
  let stack: SeededStack;
  beforeAll(async () => {
    aws = await startLocalAws();
    stack = await seedStack(aws, template);
  });
  afterAll(() => aws?.stop());

  test('queues have their settings, and their dead-letter queues', async () => {
    const { url: QueueUrl = '' } = stack.queues.get('PayQueue') ?? {};
    const { Attributes } = await aws
      .sqs()
      .send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({ VisibilityTimeout: '120' });
    expect(JSON.parse(Attributes?.RedrivePolicy ?? '{}')).toEqual({
      deadLetterTargetArn: stack.queues.get('PayDead')?.arn,
      maxReceiveCount: 50,
    });
    expect(stack.queues.get('MailQueue')?.arn).toMatch(/MailQueue\.fifo$/);
  });

  test('tables have their keys and their TTL', async () => {
    const { Table } = await aws.dynamo().send(new DescribeTableCommand({ TableName: 'Claims' }));
    expect(Table?.KeySchema).toEqual([{ AttributeName: 'claim', KeyType: 'HASH' }]);
    const ttl = await aws.dynamo().send(new DescribeTimeToLiveCommand({ TableName: 'Claims' }));
    expect(ttl.TimeToLiveDescription?.AttributeName).toBe('expiresAt');
  });

  test('the environment names what was made, and tells what only AWS would know', () => {
    const { env, unknown } = environmentOf(template, consumerOf(template, 'Pay').fn, stack);
    expect(env).toEqual({
      SQS_ONCE_TABLE: 'Claims',
      SQS_ONCE_QUEUE_URL: stack.queues.get('PayQueue')?.url,
      QUEUE_NAME: 'PayQueue',
      DEAD_ARN: stack.queues.get('PayDead')?.arn,
      LEVEL: 'debug',
    });
    expect(unknown).toEqual(['BUCKET']);
  });
});
