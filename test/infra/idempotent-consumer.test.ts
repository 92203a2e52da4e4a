import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { ClaimTable, IdempotentConsumer } from '../../infra/index.ts';
import { consumerIn, inlineFunction, newStack, templateOf } from './stack.ts';

const day = 86_400;

function environment(template: Template): Record<string, unknown> {
  const [fn] = Object.values(template.findResources('AWS::Lambda::Function'));
  return fn?.Properties.Environment.Variables;
}

describe('the queues', () => {
  it('hide a message for six times the function timeout and the batching window', () => {
    const template = templateOf(
      { maxBatchingWindow: Duration.seconds(20) },
      { timeout: Duration.seconds(50) },
    );
    template.hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 320 });
  });

  it('give SQS a net far below our own limit', () => {
    templateOf().hasResourceProperties('AWS::SQS::Queue', { RedrivePolicy: { maxReceiveCount: 50 } });
  });

  it('widen that net where more attempts ask for it', () => {
    templateOf({ maxAttempts: 20 }).hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { maxReceiveCount: 60 },
    });
    templateOf({ maxAttempts: 20, fifo: true, batchSize: 8 }).hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { maxReceiveCount: 160 },
    });
  });

  it('keep messages 4 days, and parked ones as long as SQS can', () => {
    const template = templateOf();
    template.hasResourceProperties('AWS::SQS::Queue', {
      MessageRetentionPeriod: 4 * day,
      RedrivePolicy: Match.anyValue(),
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      MessageRetentionPeriod: 14 * day,
      RedrivePolicy: Match.absent(),
    });
  });

  it('are encrypted and refuse plain HTTP, both of them', () => {
    const template = templateOf();
    template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
    template.resourcePropertiesCountIs(
      'AWS::SQS::QueuePolicy',
      {
        PolicyDocument: {
          Statement: [
            Match.objectLike({
              Effect: 'Deny',
              Action: 'sqs:*',
              Principal: { AWS: '*' },
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            }),
          ],
        },
      },
      2,
    );
  });

  it('use your key where you give one', () => {
    const stack = newStack();
    consumerIn(stack, { encryptionKey: new Key(stack, 'Key') });
    Template.fromStack(stack).allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: Match.anyValue() });
  });

  it('are both FIFO with one word', () => {
    templateOf({ fifo: true }).allResourcesProperties('AWS::SQS::Queue', { FifoQueue: true });
  });

  it('take a name and a delay', () => {
    const template = templateOf({ queueName: 'payments', deliveryDelay: Duration.seconds(7) });
    template.hasResourceProperties('AWS::SQS::Queue', { QueueName: 'payments', DelaySeconds: 7 });
  });
});

describe('the event source mapping', () => {
  it('reads partial responses, always', () => {
    templateOf().hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
    });
  });

  it('passes on batch, window and concurrency', () => {
    const template = templateOf({
      batchSize: 500,
      maxBatchingWindow: Duration.seconds(3),
      maxConcurrency: 7,
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 500,
      MaximumBatchingWindowInSeconds: 3,
      ScalingConfig: { MaximumConcurrency: 7 },
    });
  });

  it('passes on pollers', () => {
    templateOf({ provisionedPollers: { minimumPollers: 2, maximumPollers: 9 } }).hasResourceProperties(
      'AWS::Lambda::EventSourceMapping',
      { ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 9 } },
    );
  });
});

describe('the environment', () => {
  it('names the table, the queues and their numbers', () => {
    expect(environment(templateOf())).toEqual({
      SQS_ONCE_TABLE: { Ref: expect.stringMatching(/^PaymentsClaimsTable/) },
      SQS_ONCE_QUEUE_URL: { Ref: expect.stringMatching(/^PaymentsQueue/) },
      SQS_ONCE_DLQ_URL: { Ref: expect.stringMatching(/^PaymentsDeadLetterQueue/) },
      SQS_ONCE_RETENTION_SECONDS: String(29 * day),
      SQS_ONCE_MAX_RECEIVE_COUNT: '50',
      SQS_ONCE_PARTIAL_RESPONSES: 'true',
    });
  });

  it('tells attempts, lease and claim only when they are given', () => {
    const template = templateOf({ maxAttempts: 3, leaseSeconds: 15, claim: 'with-commit' });
    expect(environment(template)).toMatchObject({
      SQS_ONCE_MAX_ATTEMPTS: '3',
      SQS_ONCE_LEASE_SECONDS: '15',
      SQS_ONCE_CLAIM: 'with-commit',
    });
  });

  it('keeps claims as long as these very queues can deliver again', () => {
    const standard = templateOf({ deadLetterRetentionPeriod: Duration.days(6) });
    expect(environment(standard)).toMatchObject({ SQS_ONCE_RETENTION_SECONDS: String(13 * day) });
    const fifo = templateOf({ fifo: true });
    expect(environment(fifo)).toMatchObject({ SQS_ONCE_RETENTION_SECONDS: String(37 * day) });
    const twice = templateOf({ redrives: 2 });
    expect(environment(twice)).toMatchObject({ SQS_ONCE_RETENTION_SECONDS: String(43 * day) });
  });

  it('keeps claims as long as you say, if that is long enough', () => {
    const template = templateOf({ retention: Duration.days(90) });
    expect(environment(template)).toMatchObject({ SQS_ONCE_RETENTION_SECONDS: String(90 * day) });
  });

  it('follows what is changed after the construct was made', () => {
    const stack = newStack();
    const { queue, deadLetterQueue } = consumerIn(stack);
    const raw = queue.node.defaultChild;
    const rawDeadLetter = deadLetterQueue.node.defaultChild;
    if (!CfnQueue.isCfnQueue(raw) || !CfnQueue.isCfnQueue(rawDeadLetter)) throw new Error('no queues');
    rawDeadLetter.messageRetentionPeriod = 8 * day;
    raw.redrivePolicy = { deadLetterTargetArn: deadLetterQueue.queueArn, maxReceiveCount: 77 };
    expect(environment(Template.fromStack(stack))).toMatchObject({
      SQS_ONCE_RETENTION_SECONDS: String(17 * day),
      SQS_ONCE_MAX_RECEIVE_COUNT: '77',
    });
  });
});

describe('what you bring along', () => {
  it('a queue brings its dead-letter queue with it, and none is made', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
    const queue = new Queue(stack, 'Own', {
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 30 },
    });
    const consumer = consumerIn(stack, { queue });
    expect(consumer.queue).toBe(queue);
    expect(consumer.deadLetterQueue).toBe(deadLetterQueue);
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::SQS::Queue', 2);
    expect(environment(template)).toMatchObject({ SQS_ONCE_MAX_RECEIVE_COUNT: '30' });
  });

  it('a dead-letter queue may be shared by two consumers', () => {
    const stack = newStack();
    const deadLetterQueue = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
    consumerIn(stack, { deadLetterQueue });
    Template.fromStack(stack).resourcePropertiesCountIs(
      'AWS::SQS::Queue',
      { RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Dead'), 'Arn'] } } },
      1,
    );
  });

  it('a claim table may be shared by two consumers', () => {
    const stack = newStack();
    const claimTable = new ClaimTable(stack, 'Claims');
    new IdempotentConsumer(stack, 'First', { function: inlineFunction(stack), claimTable });
    const second = inlineFunction(new Construct(stack, 'Elsewhere'));
    new IdempotentConsumer(stack, 'Second', { function: second, claimTable });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    template.resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      { Environment: { Variables: { SQS_ONCE_TABLE: { Ref: Match.stringLikeRegexp('^Claims') } } } },
      2,
    );
  });

  it('a function may live in another stack', () => {
    const app = new App();
    const [code, queues] = [new Stack(app, 'Code'), new Stack(app, 'Queues')];
    const fn = inlineFunction(code);
    const deadLetterQueue = new Queue(queues, 'Dead', { retentionPeriod: Duration.days(14) });
    const queue = new Queue(queues, 'Own', {
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 50 },
    });
    const claimTable = new ClaimTable(queues, 'Claims');
    new IdempotentConsumer(code, 'Payments', { function: fn, queue, claimTable });
    expect(environment(Template.fromStack(code))).toMatchObject({
      SQS_ONCE_QUEUE_URL: { 'Fn::ImportValue': expect.any(String) },
    });
  });

  it('an alias gets the event source, the function behind it the environment', () => {
    const stack = newStack();
    const live = inlineFunction(stack).addAlias('live') as IFunction;
    new IdempotentConsumer(stack, 'Payments', { function: live });
    const template = Template.fromStack(stack);
    expect(environment(template)).toMatchObject({ SQS_ONCE_PARTIAL_RESPONSES: 'true' });
    const [mapping] = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(JSON.stringify(mapping?.Properties.FunctionName)).toContain(':live');
  });
});

describe('logical ids', () => {
  it('are a contract: another id would replace queue and table, and lose what is in them', () => {
    const { Resources } = templateOf().toJSON();
    expect(Object.keys(Resources)).toEqual(
      expect.arrayContaining([
        'PaymentsQueueC485226B',
        'PaymentsDeadLetterQueue6627B8CC',
        'PaymentsClaimsTable9F0017D9',
      ]),
    );
  });
});
