import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { FunctionProps } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import {
  ClaimTable,
  IdempotentConsumer,
  type IdempotentConsumerProps,
  IdempotentReceiver,
} from '../../infra/index.ts';
import { consumerIn, inlineFunction, newStack, refusal, templateOf } from './stack.ts';

const seconds = Duration.seconds;
const days = Duration.days;

/** What is wrong, and the sentence it must be refused with: the value got and the value that would do. */
const wrong: [title: string, IdempotentConsumerProps, said: string | string[], Partial<FunctionProps>?][] = [
  [
    'the visibility timeout is shorter than six function timeouts',
    { visibilityTimeout: seconds(60) },
    "the visibility timeout is 60 s; give at least 180 s: 6 × the function's timeout of 30 s + 0 s of batching window",
    { timeout: seconds(30) },
  ],
  [
    'the batching window eats from the visibility timeout',
    { visibilityTimeout: seconds(180), maxBatchingWindow: seconds(20) },
    "give at least 200 s: 6 × the function's timeout of 30 s + 20 s of batching window",
    { timeout: seconds(30) },
  ],
  [
    'the lease outlasts the visibility timeout',
    { leaseSeconds: 200 },
    "leaseSeconds is 200; give at most 180, the queue's visibility timeout",
    { timeout: seconds(30) },
  ],
  ['the lease is too short to renew', { leaseSeconds: 2 }, 'leaseSeconds is 2; give 3 to 43200'],
  [
    'SQS moves messages before our own limit is reached',
    { maxReceiveCount: 14 },
    'maxReceiveCount is 14; give at least 15: 3 × maxAttempts of 5',
  ],
  [
    'receives are counted further than SQS counts',
    { maxReceiveCount: 5_000 },
    'maxReceiveCount is 5000; give a whole number from 1 to 1000',
  ],
  [
    'receives are counted in halves',
    { maxReceiveCount: 50.5 },
    'maxReceiveCount is 50.5; give a whole number from 1 to 1000',
  ],
  [
    'a queue is FIFO by its name alone',
    { queueName: 'payments.fifo' },
    'queueName is "payments.fifo" without fifo; give fifo: true, or a name without .fifo',
  ],
  [
    "a FIFO group's followers run out of receives while its head is tried",
    { fifo: true, maxReceiveCount: 49 },
    'maxReceiveCount is 49; give at least 50: maxAttempts of 5 × batchSize of 10',
  ],
  [
    'more attempts are asked for than SQS counts receives',
    { maxAttempts: 400 },
    'maxAttempts is 400, which needs a maxReceiveCount of 1200; give fewer: SQS counts to 1000',
  ],
  ['attempts are not a count', { maxAttempts: 0 }, 'maxAttempts is 0; give a whole number, at least 1'],
  ['redrives are not a count', { redrives: -1 }, 'redrives is -1; give a whole number, at least 0'],
  [
    'the dead-letter queue forgets before the source queue does, on one clock',
    { retentionPeriod: days(7), deadLetterRetentionPeriod: days(4) },
    [
      'the dead-letter queue keeps messages for 4 days; give at least 7 days',
      'one that was moved late would be deleted as it arrives',
    ],
  ],
  [
    'the dead-letter queue forgets before the source queue does, on two clocks',
    { fifo: true, retentionPeriod: days(7), deadLetterRetentionPeriod: days(4) },
    ['the dead-letter queue keeps messages for 4 days; give at least 7 days', 'clock starts anew there'],
  ],
  [
    'claims are forgotten while a standard queue can still deliver',
    { retention: days(14) },
    [
      'retention is 14 days; give at least 28 days 18 seconds',
      '× 2 passes (1 redrive)',
      '= 28 days 18 seconds',
    ],
  ],
  [
    'claims are forgotten while a FIFO queue can still deliver',
    { fifo: true, retention: days(29) },
    [
      'retention is 29 days; give at least 36 days 18 seconds',
      '4 days in the queue + 14 days in the dead-letter queue',
    ],
  ],
  [
    'a FIFO batch is larger than SQS hands out',
    { fifo: true, batchSize: 11 },
    'batchSize is 11; give a whole number from 1 to 10, the most a FIFO queue hands out',
  ],
  [
    'a FIFO queue is to gather batches',
    { fifo: true, maxBatchingWindow: seconds(1) },
    'maxBatchingWindow is given and the queue is FIFO; leave it out',
  ],
  [
    'a large batch has no window',
    { batchSize: 11 },
    'batchSize is 11 without maxBatchingWindow; give a window of at least 1 s, or at most 10 messages',
  ],
  ['a batch is empty', { batchSize: 0 }, 'batchSize is 0; give a whole number from 1 to 10000'],
  [
    'the window is longer than Lambda waits',
    { maxBatchingWindow: seconds(301) },
    'maxBatchingWindow is 301 s; give at most 300 s',
  ],
  [
    'one at a time is asked of Lambda',
    { maxConcurrency: 1 },
    'maxConcurrency is 1; give a whole number from 2 to 1000, as Lambda asks; for one message at a time use a FIFO queue',
  ],
  [
    'both ways of scaling are asked for',
    { maxConcurrency: 5, provisionedPollers: { minimumPollers: 2 } },
    'maxConcurrency and provisionedPollers are both given; give one',
  ],
  [
    'concurrency is reserved and the mapping does not know',
    {},
    'reservedConcurrentExecutions is 5 without maxConcurrency; give maxConcurrency from 2 to 5',
    { reservedConcurrentExecutions: 5 },
  ],
  [
    'more may run at once than are reserved',
    { maxConcurrency: 10 },
    'maxConcurrency is 10 and reservedConcurrentExecutions 5; give maxConcurrency at most 5',
    { reservedConcurrentExecutions: 5 },
  ],
  [
    'one call is reserved',
    { maxConcurrency: 2 },
    'reservedConcurrentExecutions is 1; give at least 2',
    { reservedConcurrentExecutions: 1 },
  ],
  [
    'claims are to be kept for ever',
    { retention: days(2_000) },
    'retention is 172800000 s; give at most 157680000 s, 5 years',
  ],
  ['the scope is blank', { scope: ' ' }, 'scope is " "; give a name for this consumer\'s keys'],
  [
    'claims are to be written at no time there is',
    { claim: 'last' as 'first' },
    "claim is \"last\"; give 'first' or 'with-commit'",
  ],
  [
    'metrics are wanted of a scope nobody names',
    { metrics: true },
    'metrics is true without scope; give the scope the handler uses',
  ],
  [
    'the function is given and described',
    { timeout: seconds(5), environment: { STAGE: 'test' } },
    ['timeout is given beside function', 'environment is given beside function'],
  ],
  [
    'the function brings a limit of its own',
    {},
    "the function's environment sets SQS_ONCE_MAX_ATTEMPTS; leave it out there and give the prop maxAttempts here",
    { environment: { SQS_ONCE_MAX_ATTEMPTS: '99' } },
  ],
  [
    'the function brings a lease and a claim of its own',
    { maxAttempts: 4 },
    [
      'SQS_ONCE_LEASE_SECONDS; leave it out there and give the prop leaseSeconds here',
      'SQS_ONCE_CLAIM; leave it out there and give the prop claim here',
    ],
    { environment: { SQS_ONCE_LEASE_SECONDS: '1', SQS_ONCE_CLAIM: 'x' } },
  ],
  [
    'the function is given twice',
    { entry: 'handlers/pay.ts' },
    'entry and function are both given; give one',
  ],
];

describe('synth fails when', () => {
  it.each(wrong)('%s', (_title, props, said, functionProps) => {
    const message = refusal((stack) => consumerIn(stack, props, functionProps));
    expect(message).toContain('Shop/Payments');
    for (const part of [said].flat()) expect(message).toContain(part);
  });

  it('there is no function at all', () => {
    const message = refusal((stack) => new IdempotentConsumer(stack, 'Payments', {}));
    expect(message).toContain('neither entry nor function is given; give one');
  });

  it('the environment speaks for the construct', () => {
    const environment = { SQS_ONCE_TABLE: 'mine' };
    const message = refusal(
      (stack) => new IdempotentConsumer(stack, 'Payments', { entry: 'x.ts', environment }),
    );
    expect(message).toContain('environment sets SQS_ONCE_TABLE; leave it out');
  });

  it('the function could run so long that no visibility timeout covers it', () => {
    const visibilityTimeout = Duration.hours(12);
    const message = refusal((stack) =>
      consumerIn(stack, { visibilityTimeout }, { timeout: Duration.minutes(125) }),
    );
    expect(message).toContain(
      '45000 s, but SQS hides a message for at most 43200 s; give the function at most 7200 s',
    );
  });

  it('a queue is given and described', () => {
    const message = refusal((stack) =>
      consumerIn(stack, { queue: new Queue(stack, 'Own'), fifo: true, retentionPeriod: days(1) }),
    );
    expect(message).toContain('fifo is given beside queue; set it where that queue is made');
    expect(message).toContain('retentionPeriod is given beside queue');
  });

  it('a count of receives is given beside a queue that has its own', () => {
    const message = refusal((stack) => {
      const deadLetterQueue = {
        queue: new Queue(stack, 'Dead', { retentionPeriod: days(14) }),
        maxReceiveCount: 50,
      };
      consumerIn(stack, { queue: new Queue(stack, 'Own', { deadLetterQueue }), maxReceiveCount: 20 });
    });
    expect(message).toContain('maxReceiveCount is given beside queue; set it where that queue is made');
  });

  it('a queue of your own has nowhere to put poison', () => {
    const message = refusal((stack) => consumerIn(stack, { queue: new Queue(stack, 'Own') }));
    expect(message).toContain(
      'queue is Shop/Own, which has no dead-letter queue that can be seen; give deadLetterQueue',
    );
  });

  it('a queue of your own has no redrive policy', () => {
    const message = refusal((stack) =>
      consumerIn(stack, { queue: new Queue(stack, 'Own'), deadLetterQueue: new Queue(stack, 'Dead') }),
    );
    expect(message).toContain('the queue has no redrive policy; give it a deadLetterQueue');
  });

  it('a queue of your own has another dead-letter queue than the one given', () => {
    const message = refusal((stack) => {
      const deadLetterQueue = { queue: new Queue(stack, 'Dead'), maxReceiveCount: 50 };
      const queue = new Queue(stack, 'Own', { deadLetterQueue });
      consumerIn(stack, { queue, deadLetterQueue: new Queue(stack, 'Other') });
    });
    expect(message).toContain(
      "deadLetterQueue is not the queue that the source queue's redrive policy names",
    );
  });

  it('a FIFO queue has a standard dead-letter queue, or the other way round', () => {
    const fifo = refusal((stack) =>
      consumerIn(stack, { fifo: true, deadLetterQueue: new Queue(stack, 'Dead') }),
    );
    expect(fifo).toContain('the queue is FIFO and its dead-letter queue is standard; make both FIFO');
    const standard = refusal((stack) =>
      consumerIn(stack, { deadLetterQueue: new Queue(stack, 'Dead', { fifo: true }) }),
    );
    expect(standard).toContain('the queue is standard and its dead-letter queue is FIFO; make both standard');
  });

  it('one function serves two consumers, whose environments would overwrite each other', () => {
    const message = refusal((stack) => {
      const fn = inlineFunction(stack);
      new IdempotentConsumer(stack, 'First', { function: fn });
      new IdempotentConsumer(stack, 'Second', { function: fn });
    });
    expect(message).toContain(
      "[Shop/First] the function's SQS_ONCE_TABLE, SQS_ONCE_QUEUE_URL, SQS_ONCE_DLQ_URL",
    );
    expect(message).toContain('give each its own function');
  });

  it('the count of receives of a queue of your own is beyond what SQS counts', () => {
    const message = refusal((stack) => {
      const deadLetterQueue = {
        queue: new Queue(stack, 'Dead', { retentionPeriod: days(14) }),
        maxReceiveCount: 5_000,
      };
      consumerIn(stack, { queue: new Queue(stack, 'Own', { deadLetterQueue }) });
    });
    expect(message).toContain('maxReceiveCount is 5000; give a whole number from 1 to 1000');
  });

  it('the function is given a limit after the construct was made', () => {
    const message = refusal((stack) => {
      const fn = inlineFunction(stack);
      new IdempotentConsumer(stack, 'Payments', { function: fn });
      fn.addEnvironment('SQS_ONCE_MAX_ATTEMPTS', 'x');
    });
    expect(message).toContain("the function's environment sets SQS_ONCE_MAX_ATTEMPTS");
  });

  it("a receiver's function brings a lease of its own", () => {
    const environment = { SQS_ONCE_LEASE_SECONDS: '1' };
    const message = refusal(
      (stack) => new IdempotentReceiver(stack, 'Hook', { function: inlineFunction(stack, { environment }) }),
    );
    expect(message).toContain(
      'SQS_ONCE_LEASE_SECONDS; leave it out there and give the prop leaseSeconds here',
    );
  });

  it('something changes the queue after the construct was made', () => {
    const message = refusal((stack) => {
      const raw = consumerIn(stack).queue.node.defaultChild;
      if (!CfnQueue.isCfnQueue(raw)) throw new Error('no queue');
      raw.visibilityTimeout = 5;
    });
    expect(message).toContain('the visibility timeout is 5 s; give at least 18 s');
  });

  it('the claim table cannot hold claims', () => {
    const message = refusal((stack) => {
      const partitionKey = { name: 'id', type: AttributeType.STRING };
      const claimTable = ClaimTable.fromTable(stack, 'Own', new TableV2(stack, 'T', { partitionKey }));
      consumerIn(stack, { claimTable });
    });
    expect(message).toContain('partition key is id of type S');
    expect(message).toContain('TTL attribute is not set');
  });
});

describe('a program without types is told when', () => {
  const untyped = (props: unknown) => props as IdempotentConsumerProps;

  it.each([
    ['a consumer', IdempotentConsumer],
    ['a receiver', IdempotentReceiver],
  ])('%s has no props', (_title, Made) => {
    const message = refusal((stack) => new Made(stack, 'Payments', untyped(undefined)));
    expect(message).toContain('[Shop/Payments] the props are undefined; give an object with entry');
  });

  it.each([
    'timeout',
    'visibilityTimeout',
    'retentionPeriod',
    'deliveryDelay',
    'deadLetterRetentionPeriod',
    'maxBatchingWindow',
    'retention',
    'effectKeyLifetime',
    'stalledAfter',
  ])('%s is a number', (name) => {
    const message = refusal((stack) => consumerIn(stack, untyped({ [name]: 180 })));
    expect(message).toContain(`${name} is 180; give a Duration, such as Duration.seconds(180)`);
  });

  it.each(['timeout', 'retention'])("a receiver's %s is a text", (name) => {
    const message = refusal(
      (stack) => new IdempotentReceiver(stack, 'Hook', { entry: 'x.ts', ...untyped({ [name]: '1d' }) }),
    );
    expect(message).toContain(`${name} is "1d"; give a Duration`);
  });

  it('a table is given where a claim table is wanted', () => {
    const partitionKey = { name: 'claim', type: AttributeType.STRING };
    const message = refusal((stack) =>
      consumerIn(stack, untyped({ claimTable: new Table(stack, 'Mine', { partitionKey }) })),
    );
    expect(message).toContain(
      'claimTable is Shop/Mine, which is no claim table; give a ClaimTable, or ClaimTable.fromTable',
    );
  });
});

describe('a refusal', () => {
  it('names every fault at once, not the first only', () => {
    const message = refusal((stack) =>
      consumerIn(stack, { batchSize: 0, maxConcurrency: 1, leaseSeconds: 1, redrives: 0.5 }),
    );
    for (const name of ['batchSize', 'maxConcurrency', 'leaseSeconds', 'redrives'])
      expect(message).toContain(name);
  });

  it('does not hit what only just works', () => {
    expect(() =>
      templateOf(
        {
          visibilityTimeout: seconds(185),
          maxBatchingWindow: seconds(5),
          batchSize: 10_000,
          maxAttempts: 6,
          maxReceiveCount: 18,
          leaseSeconds: 185,
          retentionPeriod: days(14),
          deadLetterRetentionPeriod: days(14),
          retention: seconds(28 * 86_400 + 185),
          maxConcurrency: 5,
        },
        { timeout: seconds(30), reservedConcurrentExecutions: 5 },
      ),
    ).not.toThrow();
  });

  it('does not hit a variable that another construct set on a function they share', () => {
    const stack = newStack();
    const claimTable = new ClaimTable(stack, 'Claims');
    const fn = inlineFunction(stack, { environment: { SQS_ONCE_MAX_ATTEMPTS: '99' } });
    const shared = { function: fn, claimTable, retention: days(29) };
    new IdempotentConsumer(stack, 'Payments', { ...shared, leaseSeconds: 10, maxAttempts: 4 });
    new IdempotentReceiver(stack, 'Hook', shared);
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SQS_ONCE_MAX_ATTEMPTS: '4', SQS_ONCE_LEASE_SECONDS: '10' } },
    });
  });

  it('does not hit a FIFO queue that is named as one', () => {
    expect(() => templateOf({ fifo: true, queueName: 'payments.fifo' })).not.toThrow();
  });

  it('does not hit the widest FIFO consumer', () => {
    const stack = newStack();
    consumerIn(stack, { fifo: true, batchSize: 10, maxAttempts: 100 });
    expect(() => Template.fromStack(stack)).not.toThrow();
  });
});
