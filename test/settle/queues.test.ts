// What is known of a record's queue: options, then the environment where it names this queue, then SQS.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createQueues } from '../../lib/settle/queues.ts';
import { deadLetterQueueUrl, fakeSqs } from '../support/fake-sqs.ts';

const arn = 'arn:aws:sqs:us-east-1:000000000000:orders';
const otherArn = 'arn:aws:sqs:us-east-1:000000000000:invoices';
const urlOf = (name: string) => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
const nothing = { queueUrl: undefined, deadLetterQueueUrl: undefined, maxReceiveCount: undefined };

function queues(names: { queueUrl?: string; deadLetterQueueUrl?: string; environment?: object } = {}) {
  const sqs = fakeSqs({ maxReceiveCount: 7 });
  const queueOf = createQueues(() => sqs as unknown as SQSClient, {
    queueUrl: names.queueUrl,
    deadLetterQueueUrl: names.deadLetterQueueUrl,
    environment: { ...nothing, ...names.environment },
  });
  return { sqs, queueOf };
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

describe('a record’s queue', () => {
  test('is looked up from its ARN, once, however often it is asked for', async () => {
    const { sqs, queueOf } = queues();
    for (let time = 0; time < 3; time += 1) {
      expect(await queueOf(arn).url()).toBe(urlOf('orders'));
      expect(await queueOf(arn).deadLetterQueueUrl()).toBe(deadLetterQueueUrl);
      expect(await queueOf(arn).maxReceiveCount()).toBe(7);
    }
    expect(sqs.calls.map(({ name }) => name)).toEqual(['GetQueueUrl', 'GetQueueAttributes', 'GetQueueUrl']);
    expect(sqs.inputsOf('GetQueueUrl')[0]).toEqual({
      QueueName: 'orders',
      QueueOwnerAWSAccountId: '000000000000',
    });
  });

  test('is what the environment says, where that names this queue, and of another queue it says nothing', async () => {
    const environment = {
      queueUrl: urlOf('orders'),
      deadLetterQueueUrl: urlOf('orders-lost'),
      maxReceiveCount: 3,
    };
    const { sqs, queueOf } = queues({ environment });
    expect(await queueOf(arn).deadLetterQueueUrl()).toBe(urlOf('orders-lost'));
    expect(await queueOf(arn).maxReceiveCount()).toBe(3);
    expect(sqs.calls).toEqual([]);
    expect(await queueOf(otherArn).deadLetterQueueUrl()).toBe(deadLetterQueueUrl);
    expect(await queueOf(otherArn).maxReceiveCount()).toBe(7);
  });

  test.each([
    ['without a queue’s name', undefined],
    ['of the same name in another account', 'https://sqs.us-east-1.amazonaws.com/111111111111/orders'],
    ['that is no URL', 'orders of mine'],
  ])('is not taken from an environment %s', async (_, queueUrl) => {
    const { queueOf } = queues({ environment: { queueUrl, deadLetterQueueUrl: urlOf('orders-lost') } });
    expect(await queueOf(arn).deadLetterQueueUrl()).toBe(deadLetterQueueUrl);
  });

  test('is what the options say, before anything else', async () => {
    const environment = { queueUrl: urlOf('orders'), deadLetterQueueUrl: urlOf('orders-lost') };
    const { queueOf } = queues({ environment, deadLetterQueueUrl: urlOf('given') });
    expect(await queueOf(arn).deadLetterQueueUrl()).toBe(urlOf('given'));
  });

  test('may have no dead-letter queue, which is asked for once', async () => {
    const { sqs, queueOf } = queues();
    sqs.answer('GetQueueAttributes', () => ({}));
    expect(await queueOf(arn).deadLetterQueueUrl()).toBeUndefined();
    expect(await queueOf(arn).maxReceiveCount()).toBeUndefined();
    expect(sqs.inputsOf('GetQueueAttributes')).toHaveLength(1);
  });

  test('that could not be looked up is looked up again: the next message may have more luck', async () => {
    const { sqs, queueOf } = queues();
    sqs.answer('GetQueueUrl', (_, call) => {
      if (call === 1) throw Object.assign(new Error('no'), { name: 'ThrottlingException' });
      return { QueueUrl: urlOf('orders') };
    });
    expect(await queueOf(arn).url()).toBeUndefined();
    expect(await queueOf(arn).url()).toBe(urlOf('orders'));
  });
});
