import type { Stack } from 'aws-cdk-lib';
import { CfnParameter, Duration, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import { ClaimTable, IdempotentConsumer } from '../../infra/index.ts';
import { consumerIn, newStack, templateOf, warnings } from './stack.ts';

const days = Duration.days;

describe('a number that only CloudFormation will know', () => {
  const later = (stack: Stack, name: string): number =>
    new CfnParameter(stack, name, { type: 'Number', default: 7 }).valueAsNumber;

  it('never crashes a check', () => {
    const stack = newStack();
    consumerIn(
      stack,
      {
        visibilityTimeout: Duration.seconds(later(stack, 'Visibility')),
        retentionPeriod: Duration.seconds(later(stack, 'Retention')),
        deadLetterRetentionPeriod: Duration.seconds(later(stack, 'DeadRetention')),
        deliveryDelay: Duration.seconds(later(stack, 'Delay')),
        maxReceiveCount: later(stack, 'Receives'),
        batchSize: later(stack, 'Batch'),
        maxBatchingWindow: Duration.seconds(later(stack, 'Window')),
        maxConcurrency: later(stack, 'Concurrency'),
        maxAttempts: later(stack, 'Attempts'),
        leaseSeconds: later(stack, 'Lease'),
        redrives: later(stack, 'Redrives'),
        effectKeyLifetime: Duration.seconds(later(stack, 'Lifetime')),
      },
      {
        timeout: Duration.seconds(later(stack, 'Timeout')),
        reservedConcurrentExecutions: later(stack, 'Reserved'),
      },
    );
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          // What is not known is taken as the longest SQS allows.
          SQS_ONCE_RETENTION_SECONDS: String(29 * 86_400),
          SQS_ONCE_MAX_RECEIVE_COUNT: { Ref: 'Receives' },
          SQS_ONCE_MAX_ATTEMPTS: { Ref: 'Attempts' },
          SQS_ONCE_LEASE_SECONDS: { Ref: 'Lease' },
        },
      },
    });
  });

  it('leaves room for the longest function when the visibility timeout is derived', () => {
    const stack = newStack();
    consumerIn(stack, {}, { timeout: Duration.seconds(later(stack, 'Timeout')) });
    Template.fromStack(stack).hasResourceProperties('AWS::SQS::Queue', { VisibilityTimeout: 5_400 });
  });

  it('does not hide the other numbers of the same consumer', () => {
    const stack = newStack();
    consumerIn(stack, { retentionPeriod: Duration.seconds(later(stack, 'Retention')), maxReceiveCount: 3 });
    expect(() => Template.fromStack(stack)).toThrow('maxReceiveCount is 3; give at least 15');
  });

  it('may be the retention of the claims', () => {
    const stack = newStack();
    consumerIn(stack, { retention: Duration.seconds(later(stack, 'Claims')) });
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SQS_ONCE_RETENTION_SECONDS: { Ref: 'Claims' } } },
    });
  });
});

describe('synth warns when', () => {
  const queueArn = 'arn:aws:sqs:eu-north-1:111122223333:orders';
  const deadArn = 'arn:aws:sqs:eu-north-1:111122223333:orders-dead';

  it('a queue lies outside the app, and names the numbers to check', () => {
    const said = warnings((stack) => {
      const queue = Queue.fromQueueArn(stack, 'Orders', queueArn);
      const deadLetterQueue = Queue.fromQueueArn(stack, 'OrdersDead', deadArn);
      consumerIn(stack, { queue, deadLetterQueue, maxAttempts: 7 }, { timeout: Duration.seconds(40) });
    }).join('\n');
    expect(said).toContain('visibility timeout is at least 240 s, its maxReceiveCount at least 21');
    expect(said).toContain(
      'its redrive policy names Shop/OrdersDead; and give maxReceiveCount as it is set there',
    );
    expect(said).toContain('keeps messages for 14 days (1209600 s)');
  });

  it('nothing more than the numbers, once maxReceiveCount is told', () => {
    const build = (stack: Stack): IdempotentConsumer => {
      const queue = Queue.fromQueueArn(stack, 'Orders', queueArn);
      const deadLetterQueue = Queue.fromQueueArn(stack, 'OrdersDead', deadArn);
      return consumerIn(stack, { queue, deadLetterQueue, maxReceiveCount: 30 });
    };
    expect(warnings(build).join('\n')).not.toContain('give maxReceiveCount');
    const stack = newStack();
    build(stack);
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { SQS_ONCE_MAX_RECEIVE_COUNT: '30', SQS_ONCE_RETENTION_SECONDS: String(29 * 86_400) },
      },
    });
  });

  it('a function lies outside the app, and names what to set', () => {
    const said = warnings((stack) => {
      const fn = LambdaFunction.fromFunctionName(stack, 'Theirs', 'theirs');
      new IdempotentConsumer(stack, 'Payments', { function: fn });
    }).join('\n');
    expect(said).toContain('set its SQS_ONCE_TABLE, SQS_ONCE_QUEUE_URL');
    expect(said).toContain('6 × its timeout');
    expect(said).toContain('let its role read and delete from the queue');
  });

  it('the provider forgets effect keys before SQS forgets the message', () => {
    const said = warnings((stack) => consumerIn(stack, { effectKeyLifetime: days(1) }));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(
      'remembers effect keys for 1 day, but SQS can deliver a message again for 28 days 18 seconds',
    );
    expect(said[0]).toContain('lifetimeSeconds: 86400');
  });

  it('a message moved on its last day would be gone within a day', () => {
    const said = warnings((stack) => consumerIn(stack, { retentionPeriod: days(14) }));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(
      'has only 0 seconds left in the dead-letter queue: 14 days there − 14 days in the queue',
    );
  });
});

describe('synth is silent', () => {
  it('about the defaults', () => {
    expect(warnings((stack) => consumerIn(stack))).toEqual([]);
    expect(warnings((stack) => new ClaimTable(stack, 'Claims'))).toEqual([]);
  });

  it('about a FIFO queue whose clock starts anew', () => {
    expect(warnings((stack) => consumerIn(stack, { fifo: true, retentionPeriod: days(14) }))).toEqual([]);
  });

  it('about a provider that remembers long enough', () => {
    expect(warnings((stack) => consumerIn(stack, { effectKeyLifetime: days(30) }))).toEqual([]);
  });

  it('and a token is no fault', () => {
    expect(Token.isUnresolved(Duration.seconds(1))).toBe(false);
    expect(() => templateOf()).not.toThrow();
  });
});
