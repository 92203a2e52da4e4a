import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { type Rig, type RigOptions, startRig } from './rig.ts';

let aws: LocalAws;
beforeAll(async () => {
  aws = await startLocalAws();
});
afterAll(() => aws.stop());

async function open({ onTestFinished }: TestContext, options?: RigOptions): Promise<Rig> {
  const rig = await startRig(aws, options);
  onTestFinished(() => rig.runner.stop());
  return rig;
}

/** Short, so that what is returned comes back soon. */
const hasty = { visibilityTimeoutSeconds: 1, timeoutSeconds: 1 };

describe.concurrent('what the handler is given', () => {
  test('is the record of a real queue, in a batch, with a falling clock', async (test) => {
    const rig = await open(test, { timeoutSeconds: 20 });
    await rig.send('watch', 'succeed:2');
    await rig.runner.drained();
    const [first] = rig.steps();
    const { record, context, env } = first as unknown as Record<string, Record<string, string>>;
    expect(record).toMatchObject({
      body: 'watch',
      eventSource: 'aws:sqs',
      eventSourceARN: rig.queueArn,
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.any(String) },
    });
    expect(record).not.toHaveProperty('md5OfMessageAttributes');
    expect(context).toMatchObject({
      functionName: 'obedient',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:obedient',
      memoryLimitInMB: '128',
      awsRequestId: rig.all('delivered')[0]?.requestId,
      logGroupName: '/aws/lambda/obedient',
      logStreamName: expect.stringContaining('[$LATEST]'),
    });
    const remainingMillis = Number(context?.remainingMillis);
    const later = rig.steps().find((step) => 'laterRemainingMillis' in step);
    expect(remainingMillis).toBeGreaterThan(15_000);
    expect(remainingMillis).toBeLessThanOrEqual(20_000);
    expect(later?.laterRemainingMillis).toBeLessThanOrEqual(remainingMillis - 35);
    expect(env).toEqual({ endpoint: aws.sqsEndpoint, name: 'obedient' });
  });

  test('is as many messages at once as the batch size allows', async (context) => {
    const rig = await open(context, { batchSize: 3 });
    await rig.send(...Array.from({ length: 10 }, (_, index) => `succeed:${index}`));
    await rig.runner.drained();
    const sizes = rig.all('delivered').map((event) => event.deliveries.length);
    expect(Math.max(...sizes)).toBe(3);
    expect(rig.seen()).toHaveLength(10);
  });

  test('is a batch over ten when a window lets it fill', async (context) => {
    const rig = await open(context, { batchSize: 25, batchingWindowSeconds: 5 });
    const bodies = Array.from({ length: 25 }, (_, index) => `succeed:${index}`);
    for (const start of [0, 10, 20]) await rig.send(...bodies.slice(start, start + 10));
    await rig.runner.drained();
    expect(rig.all('delivered').map((event) => event.deliveries.length)).toEqual([25]);
  });
});

describe.concurrent('an answer decides what is deleted', () => {
  test('nothing returned acknowledges the whole batch', async (context) => {
    const rig = await open(context);
    await rig.send('nothing', 'succeed');
    await rig.runner.drained();
    expect(rig.all('answered').flatMap((event) => event.returned)).toEqual([]);
  });

  test('only the listed message comes back, received once more, when its visibility ends', async (context) => {
    const rig = await open(context, hasty);
    await rig.send('succeed', 'fail-once', 'succeed:2');
    await rig.runner.drained();
    const returned = rig.all('answered').flatMap((event) => event.returned.map(({ record }) => record.body));
    expect(returned).toEqual(['fail-once']);
    expect(rig.seen().sort()).toEqual(['fail-once', 'fail-once', 'succeed', 'succeed:2']);
  });

  test('without partial responses a list of failures is not read', async (context) => {
    const rig = await open(context, { ...hasty, reportBatchItemFailures: false });
    await rig.send('fail');
    await rig.runner.drained();
    expect(rig.seen()).toEqual(['fail']);
  });

  test('a message that fails every time ends in the dead-letter queue', async (context) => {
    const rig = await open(context, { ...hasty, maxReceiveCount: 1 });
    await rig.send('fail');
    await rig.runner.drained();
    const { Messages = [] } = await aws
      .sqs()
      .send(new ReceiveMessageCommand({ QueueUrl: rig.deadLetterQueueUrl }));
    expect(Messages.map((message) => message.Body)).toEqual(['fail']);
  });
});

describe.concurrent('the whole batch comes back', () => {
  test.for([
    ['the handler throws', 'throw-once', 'threw', 'told to throw'],
    ['its answer cannot be understood', 'misname-once', 'malformed', 'itemIdentifier'],
    ['its answer is no JSON', 'cyclic-once', 'threw', 'circular'],
    ['its process exits', 'exit-once', 'died', undefined],
    ['its process crashes on an unhandled rejection', 'crash-once', 'died', undefined],
    ['it takes too long', 'hang-once', 'timed-out', undefined],
    ['it takes too long and cannot be interrupted', 'spin-once', 'timed-out', undefined],
  ] as const)('when %s', async ([_, body, reason, message], context) => {
    const rig = await open(context, hasty);
    await rig.send('succeed', body);
    await rig.runner.drained();
    const failure = rig.all('failed')[0];
    expect(failure).toMatchObject({ reason, returned: [{ duplicated: false }, { duplicated: false }] });
    expect(failure?.error?.message ?? '').toContain(message ?? '');
    expect(rig.seen().filter((seen) => seen === 'succeed')).toHaveLength(2);
  });
});

describe.concurrent('a worker', () => {
  test('that was killed for time is replaced by a fresh process', async (context) => {
    const rig = await open(context, hasty);
    await rig.send('spin-once');
    await rig.runner.drained();
    const [first, second] = rig.all('worker-ready');
    expect(first?.pid).not.toBe(second?.pid);
    expect(rig.all('worker-ended')[0]).toMatchObject({ pid: first?.pid, signal: 'SIGKILL' });
    expect(rig.all('failed')[0]?.durationMillis).toBeGreaterThanOrEqual(990);
  });

  test('killed in the middle loses nothing: its batch comes back', async (context) => {
    const rig = await open(context, hasty);
    await rig.send('hang-once');
    await rig.next('step');
    rig.runner.kill(0);
    await rig.runner.drained();
    expect(rig.all('failed').map((event) => event.reason)).toEqual(['died']);
    expect(rig.seen()).toEqual(['hang-once', 'hang-once']);
  });

  test('runs one invocation at a time, and as many run at once as there are workers', async (context) => {
    const rig = await open(context, { workers: 3, batchSize: 1 });
    await rig.send(...Array.from({ length: 9 }, (_, index) => `rest:${index}`));
    await rig.runner.drained();
    const running = new Set<number>();
    let most = 0;
    for (const event of rig.events) {
      if (event.type === 'delivered') {
        expect(running).not.toContain(event.worker);
        running.add(event.worker);
      } else if (event.type === 'answered') running.delete(event.worker);
      most = Math.max(most, running.size);
    }
    expect(most).toBe(3);
  });

  test('that is paused outlives the visibility, while another takes its message', async (context) => {
    const rig = await open(context, { ...hasty, workers: 2, batchSize: 1 });
    await rig.send('rest');
    const { worker } = await rig.next('step');
    rig.runner.pause(worker);
    await rig.next('answered', (event) => event.worker !== worker);
    rig.runner.resume(worker);
    await rig.next('answered', (event) => event.worker === worker);
    expect(rig.seen()).toEqual(['rest', 'rest']);
  });

  test('speaks line by line to whoever watches', async (context) => {
    const rig = await open(context);
    await rig.send('print');
    await rig.next('output', (event) => event.line === 'second line');
    expect(rig.all('output')).toEqual([
      { type: 'output', worker: 0, stream: 'stdout', line: 'first line' },
      { type: 'output', worker: 0, stream: 'stdout', line: 'second line' },
    ]);
  });

  test.each([
    ['a missing export', 'test/local/handlers/obedient.absent', /exports no function absent; it exports/],
    [
      'an export that is no function',
      'test/local/handlers/obedient.notAFunction',
      /no function notAFunction/,
    ],
  ])('with %s is refused at the start', async (_, handler, message) => {
    await expect(startRig(aws, { handler })).rejects.toThrow(message);
  });

  test('runs a CommonJS handler', async (context) => {
    const rig = await open(context, { handler: 'test/local/handlers/plain.handler' });
    await rig.send('any');
    expect(await rig.next('output')).toMatchObject({ line: 'plain 1' });
  });
});

describe.concurrent('duplicates on purpose', () => {
  test('come to another worker while the first still runs', async (context) => {
    const rig = await open(context, { workers: 2, duplicate: () => 20 });
    await rig.send('rest');
    await rig.runner.drained();
    const [first, second] = rig.all('delivered');
    const order = rig.events.map((event) => event.type);
    expect(order.indexOf('answered')).toBeGreaterThan(order.lastIndexOf('delivered'));
    expect(second?.worker).not.toBe(first?.worker);
    const [original, duplicate] = [first?.deliveries[0], second?.deliveries[0]];
    expect(duplicate).toMatchObject({
      duplicated: true,
      record: { messageId: original?.record.messageId, receiptHandle: original?.record.receiptHandle },
    });
    expect(duplicate?.record.attributes.ApproximateReceiveCount).toBe('2');
    expect(rig.seen()).toEqual(['rest', 'rest']);
  });

  test('come after the first when there is one worker only', async (context) => {
    const rig = await open(context, { duplicate: () => 0 });
    await rig.send('rest');
    await rig.runner.drained();
    expect(rig.seen()).toEqual(['rest', 'rest']);
  });

  test('come alone, never beside their first in one batch', async (context) => {
    const rig = await open(context, { workers: 2, duplicate: () => 0 });
    await rig.send('rest:1', 'rest:2', 'rest:3');
    await rig.runner.drained();
    for (const { deliveries } of rig.all('delivered')) {
      const ids = deliveries.map(({ record }) => record.messageId);
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(rig.seen()).toHaveLength(6);
  });
});

describe.concurrent('a FIFO queue', () => {
  test('runs a group in order and groups beside each other', async (context) => {
    const rig = await open(context, { fifo: true, workers: 2 });
    await rig.send('rest:a1', 'rest:b1', 'succeed:a2', 'succeed:b2', 'succeed:a3');
    await rig.runner.drained();
    const seen = rig.seen() as string[];
    expect(seen.filter((body) => body.includes(':a'))).toEqual(['rest:a1', 'succeed:a2', 'succeed:a3']);
    expect(seen.filter((body) => body.includes(':b'))).toEqual(['rest:b1', 'succeed:b2']);
    const { record } = rig.steps()[0] as unknown as { record: Record<string, unknown> };
    expect(record.eventSourceARN).toMatch(/\.fifo$/);
    expect(record.attributes).toMatchObject({ MessageGroupId: 'a', SequenceNumber: expect.any(String) });
  });

  test('stops a group at its first failure until that comes back', async (context) => {
    const rig = await open(context, { ...hasty, fifo: true, workers: 2, batchSize: 1 });
    await rig.send('fail-once:a1', 'succeed:a2');
    await rig.runner.drained();
    expect(rig.seen()).toEqual(['fail-once:a1', 'fail-once:a1', 'succeed:a2']);
  });
});

describe.concurrent('settings AWS would refuse', () => {
  test.each<[string, RigOptions, RegExp]>([
    ['a timeout over the visibility', { timeoutSeconds: 31 }, /timeoutSeconds is 31 but the queue hides/],
    ['no time', { timeoutSeconds: 0 }, /timeoutSeconds is 0/],
    ['no worker', { workers: 0 }, /workers is 0; give a whole number from 1/],
    ['a batch over ten without a window', { batchSize: 11 }, /batchSize is 11; give .* to 10/],
    ['a window on a FIFO queue', { fifo: true, batchingWindowSeconds: 1 }, /batchingWindowSeconds is 1/],
    ['a batch over ten on a FIFO queue', { fifo: true, batchSize: 11 }, /batchSize is 11/],
  ])('%s', async (_, options, message) => {
    await expect(startRig(aws, options)).rejects.toThrow(message);
  });
});

test.concurrent('several queues feed several functions over one local AWS', async (context) => {
  const [one, two] = [
    await open(context),
    await open(context, { handler: 'test/local/handlers/plain.handler' }),
  ];
  await Promise.all([one.send('succeed'), two.send('any')]);
  await Promise.all([one.runner.drained(), two.runner.drained()]);
  expect(one.seen()).toEqual(['succeed']);
  expect(await two.next('output')).toMatchObject({ line: 'plain 1' });
});
