// `sqs-once local` makes what a handler needs: from a synthesized stack, or as it is told.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { guarded, newProject, type Project, saying } from './local-project.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let project: Project;
beforeEach(() => {
  project = newProject();
});
afterEach(() => project.remove());

describe('--template', () => {
  beforeEach(() => {
    mkdirSync(join(project.folder, 'cdk.out/asset.abc'), { recursive: true });
    project.write('cdk.out/asset.abc/index.js', saying("'bundled, ' + process.env.GREETING + ' ' + body"));
    project.write('cdk.out/Mail.template.json', JSON.stringify({ Resources: stack }));
  });

  test('a synthesized stack runs with its own queue, table, settings and bundled code; what only AWS knows is named', async () => {
    const opened = await project.open('--template', 'cdk.out/Mail.template.json');
    expect(opened.queueUrl).toMatch(/WelcomeQueue$/);
    expect(opened.deadLetterQueueUrl).toMatch(/WelcomeDead$/);
    expect(opened.tableName).toBe('Claims');
    expect(opened.lines).toContainEqual(expect.stringMatching(/^not set {12}BUCKET: only AWS knows/));
    opened.type('"ada"');
    await opened.shown('bundled, good morning "ada"');
    const question = { QueueUrl: opened.queueUrl, AttributeNames: ['VisibilityTimeout' as const] };
    const { Attributes } = await opened.sqs.send(new GetQueueAttributesCommand(question));
    expect(Attributes).toEqual({ VisibilityTimeout: '120' });
  });

  test.each([
    [
      ['nix.json'],
      '--template is nix.json, and there is no such file; give a synthesized stack, such as cdk.out/Shop.template.json',
    ],
    [
      ['cdk.out/asset.abc/index.js'],
      'cdk.out/asset.abc/index.js is no CloudFormation template in JSON with Resources; give one that cdk synth wrote, such as cdk.out/Shop.template.json',
    ],
    [
      ['cdk.out/Mail.template.json', '--timeout', '121'],
      "--timeout is 121, longer than the template's queue hides a message; give at most 120 seconds, better a sixth of it",
    ],
    [
      ['cdk.out/Mail.template.json', '--batch-size', '11'],
      '--batch-size is 11; give a whole number from 1 to 10',
    ],
  ])('%j is refused with what was got and what would do', async (options, sentence) => {
    const { code, said } = await project.refused('--template', ...options);
    expect({ code, said }).toEqual({ code: 1, said: `${sentence}\n` });
  });

  test('--handler runs the source in its place, with the same environment', async () => {
    project.write('welcome.js', guarded("effect(body.customer + ' ' + process.env.GREETING);"));
    const opened = await project.open(
      '--template',
      'cdk.out/Mail.template.json',
      '--handler',
      'welcome.handler',
    );
    opened.type(JSON.stringify({ customer: 'ada' }));
    await opened.shown('completed, attempt 1');
    expect(project.effects()).toEqual(['ada good morning']);
  });
});

test('--more-table and --more-queue are what a handler writes to and sends to', async () => {
  project.write(
    'welcome.js',
    guarded(`
      attempt.transaction.put({ TableName: 'mails', Item: { customer: body.customer } });
      attempt.followUps.send({ queueUrl: process.env.SURVEYS_QUEUE_URL, body });`),
  );
  const more = ['--more-table', 'mails:customer', '--more-queue', 'surveys:SURVEYS_QUEUE_URL'];
  const opened = await project.open('--handler', 'welcome.handler', '--queue', 'welcome', ...more);
  opened.type(JSON.stringify({ customer: 'ada' }));
  await opened.shown('completed, attempt 1, 1 follow-up sent');
  const QueueUrl = opened.queueUrl.replace('welcome', 'surveys');
  const { Messages } = await opened.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['{"customer":"ada"}']);
  const { code, said } = await project.refused(
    '--handler',
    'welcome.handler',
    '--queue',
    'q',
    '--more-table',
    'mails',
  );
  expect(said).toBe('--more-table is "mails"; give its name, a colon and its partition key\n');
  expect(code).toBe(1);
});

const attribute = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

const stack = {
  WelcomeQueue: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: 120,
      RedrivePolicy: { deadLetterTargetArn: attribute('WelcomeDead'), maxReceiveCount: 50 },
    },
  },
  WelcomeDead: { Type: 'AWS::SQS::Queue', Properties: {} },
  Claims: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      KeySchema: [{ AttributeName: 'claim', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'claim', AttributeType: 'S' }],
    },
  },
  WelcomeFunction: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Handler: 'index.handler',
      Timeout: 20,
      Code: { S3Key: 'abc.zip' },
      Environment: {
        Variables: {
          SQS_ONCE_TABLE: { Ref: 'Claims' },
          SQS_ONCE_DLQ_URL: { Ref: 'WelcomeDead' },
          SQS_ONCE_PARTIAL_RESPONSES: 'true',
          GREETING: 'good morning',
          BUCKET: { Ref: 'Bucket' },
        },
      },
    },
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: attribute('WelcomeQueue'),
      FunctionName: { Ref: 'WelcomeFunction' },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
};
