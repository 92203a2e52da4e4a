// The doctor finds what is wrong with a consumer, says so once, and touches nothing.
import { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportText } from '../../lib/cli/doctor.ts';
import { checkUp } from '../../lib/doctor/check-up.ts';
import { lookAtConsumers, type Named } from '../../lib/doctor/consumers.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { admit, type Deployment, healthy, type World } from './hospital.ts';

let aws: LocalAws;
let world: World;
let patients = 0;

beforeAll(async () => {
  aws = await startLocalAws();
  world = { sqs: aws.sqs(), dynamo: aws.dynamo() };
  await aws.createClaimTable('claims');
  await aws.createTable('orders', 'orderId');
  await aws.createTable('never-forgets', 'claim');
  await aws.createTable('forgets-by-date', 'claim');
  await world.dynamo.send(
    new UpdateTimeToLiveCommand({
      TableName: 'forgets-by-date',
      TimeToLiveSpecification: { AttributeName: 'date', Enabled: true },
    }),
  );
  await world.dynamo.send(
    new CreateTableCommand({
      TableName: 'sorted',
      AttributeDefinitions: [
        { AttributeName: 'claim', AttributeType: 'S' },
        { AttributeName: 'at', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'claim', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
});

afterAll(() => aws?.stop());

async function findingsOf(
  spoil: (deployment: Deployment) => void = () => {},
  named: Named = {},
): Promise<readonly Finding[]> {
  patients += 1;
  const id = `patient-${patients}`;
  const deployment = healthy(id, 'claims');
  spoil(deployment);
  const clients = await admit(world, id, deployment);
  const isFifo = deployment.queue.FifoQueue === 'true';
  const asked = Object.keys(named).length > 0 ? named : { queue: isFifo ? `${id}.fifo` : id };
  const [patient] = await lookAtConsumers(clients, asked);
  if (patient === undefined) throw new Error('there is no patient');
  return checkUp(patient.facts);
}

const variables = (deployment: Deployment) => deployment.fn.Environment.Variables;

test('a healthy consumer has no findings', async () => {
  expect(await findingsOf()).toEqual([]);
});

test('a consumer is found by its function, its stack or the stack around that as well', async () => {
  expect(await findingsOf(undefined, { function: 'pay' })).toEqual([]);
  expect(await findingsOf(undefined, { stack: 'Shop' })).toEqual([]);
  expect(await findingsOf(undefined, { stack: 'Outer' })).toEqual([]);
});

test('a stack that cannot be looked at is told of by the option that names it', async () => {
  const asked = lookAtConsumers(
    {
      ...(await admit(world, 'patient-of-no-stack', healthy('patient-of-no-stack', 'claims'))),
      cloudFormation: {
        send: async () => {
          throw new Error('getaddrinfo ENOTFOUND cloudformation.us-east-1.amazonaws.com');
        },
      },
    },
    { stack: 'Shop' },
  );
  await expect(asked).rejects.toThrow(
    /^--stack is Shop, which cannot be looked at \(Error: getaddrinfo ENOTFOUND .*\); give the name of a stack that is there/,
  );
});

test('a queue that is not there is told of, never the health of another', async () => {
  const findings = await findingsOf(undefined, { queue: 'nowhere' });
  expect(findings.filter(({ level }) => level === 'error').map(({ id }) => id)).toEqual(['queue-missing']);
  expect(findings.map(({ id }) => id)).toContain('unseen-mapping');
});

const faults: readonly (readonly [id: string, spoil: (deployment: Deployment) => void])[] = [
  ['partial-responses-off', (d) => Object.assign(d.mapping ?? {}, { FunctionResponseTypes: [] })],
  ['mapping-disabled', (d) => Object.assign(d.mapping ?? {}, { State: 'Disabled' })],
  [
    'mapping-missing',
    (d) => {
      d.mapping = undefined;
    },
  ],
  ['visibility-too-short', (d) => Object.assign(d.queue, { VisibilityTimeout: '179' })],
  ['visibility-too-short', (d) => Object.assign(d.mapping ?? {}, { MaximumBatchingWindowInSeconds: 1 })],
  ['lease-outlives-visibility', (d) => Object.assign(variables(d), { SQS_ONCE_LEASE_SECONDS: '181' })],
  [
    'redrive-missing',
    (d) => {
      d.maxReceiveCount = undefined;
    },
  ],
  [
    'receives-too-few',
    (d) => {
      d.maxReceiveCount = 14;
      delete variables(d).SQS_ONCE_MAX_RECEIVE_COUNT;
    },
  ],
  ['receives-too-few', (d) => Object.assign(variables(d), { SQS_ONCE_MAX_ATTEMPTS: '6' })],
  ['receives-disagree', (d) => Object.assign(variables(d), { SQS_ONCE_MAX_RECEIVE_COUNT: '5' })],
  [
    'dead-letter-queues-disagree',
    (d) => Object.assign(variables(d), { SQS_ONCE_DLQ_URL: 'https://sqs.example.com/1/another-dlq' }),
  ],
  ['queue-types-differ', (d) => Object.assign(d.deadLetterQueue, { FifoQueue: 'true' })],
  [
    'dead-letter-retention-too-short',
    (d) => Object.assign(d.deadLetterQueue, { MessageRetentionPeriod: '86400' }),
  ],
  [
    'dead-letter-retention-short',
    (d) => Object.assign(d.deadLetterQueue, { MessageRetentionPeriod: '864000' }),
  ],
  ['retention-too-short', (d) => Object.assign(variables(d), { SQS_ONCE_RETENTION_SECONDS: '86400' })],
  ['table-missing', (d) => Object.assign(variables(d), { SQS_ONCE_TABLE: 'nowhere' })],
  ['table-key', (d) => Object.assign(variables(d), { SQS_ONCE_TABLE: 'orders' })],
  ['table-key', (d) => Object.assign(variables(d), { SQS_ONCE_TABLE: 'sorted' })],
  ['ttl-off', (d) => Object.assign(variables(d), { SQS_ONCE_TABLE: 'never-forgets' })],
  ['ttl-attribute', (d) => Object.assign(variables(d), { SQS_ONCE_TABLE: 'forgets-by-date' })],
  [
    'not-restorable',
    (d) => {
      d.backups = 'DISABLED';
    },
  ],
  ['unseen-backups', (d) => d.refused.push('DescribeContinuousBackups')],
  ['unseen-ttl', (d) => d.refused.push('DescribeTimeToLive')],
  ['unseen-concurrency', (d) => d.refused.push('GetFunctionConcurrency')],
  ['unseen-alarms', (d) => d.refused.push('DescribeAlarms')],
  ['unseen-rights', (d) => d.refused.push('SimulatePrincipalPolicy')],
  [
    'not-protected',
    (d) => {
      d.protected = false;
    },
  ],
  ['right-missing', (d) => d.denied.push('sqs:SendMessage')],
  ['alarm-missing', (d) => d.alarms.pop()],
  ['alarm-tells-nobody', (d) => Object.assign(d.alarms[0] ?? {}, { ActionsEnabled: false })],
  ['runtime-too-old', (d) => Object.assign(d.fn, { Runtime: 'nodejs20.x' })],
  [
    'reserved-without-maximum',
    (d) => {
      d.reserved = 5;
    },
  ],
];

describe('a single fault is found', () => {
  test.each(faults)('%s', async (id, spoil) => {
    const ids = (await findingsOf(spoil)).map((finding) => finding.id);
    expect(ids).toContain(id);
    // What hangs together may be told together; nothing else is.
    const consequences = ['mapping-missing', 'redrive-missing', 'table-key', 'queue-types-differ'];
    if (!consequences.includes(id))
      expect(ids.filter((one) => one !== 'ttl-off' || id === 'ttl-off')).toEqual([id]);
  });
});

test('ten faults at once are all found, errors first', async () => {
  const planted = [
    'partial-responses-off',
    'mapping-disabled',
    'visibility-too-short',
    'receives-disagree',
    'dead-letter-retention-too-short',
    'retention-too-short',
    'ttl-attribute',
    'not-restorable',
    'right-missing',
    'alarm-missing',
  ];
  const findings = await findingsOf((deployment) => {
    for (const [id, spoil] of faults) if (planted.includes(id)) spoil(deployment);
  });
  expect(findings.map(({ id }) => id).toSorted()).toEqual(planted.toSorted());
  const levels = findings.map(({ level }) => level);
  expect(levels).toEqual(
    levels.toSorted((a, b) => ['error', 'warning'].indexOf(a) - ['error', 'warning'].indexOf(b)),
  );
});

test('parked messages that wait are told', async () => {
  const id = `patient-${patients + 1}`;
  const clients = await admit(world, id, healthy(id, 'claims'));
  await world.sqs.send(
    new SendMessageCommand({ QueueUrl: `${aws.sqsEndpoint}/000000000000/${id}-dlq`, MessageBody: '{}' }),
  );
  const [patient] = await lookAtConsumers(clients, { queue: id });
  patients += 1;
  expect(patient && checkUp(patient.facts).map((finding) => finding.id)).toEqual(['dead-letters-waiting']);
});

test('of the environment, only our own variables are read', async () => {
  const id = `patient-${patients + 1}`;
  patients += 1;
  const [patient] = await lookAtConsumers(await admit(world, id, healthy(id, 'claims')), { queue: id });
  expect(JSON.stringify(patient)).not.toContain('hush');
});

test('what could not be checked is told with the reason, and not as well', async () => {
  const findings = await findingsOf((d) => d.refused.push('DescribeAlarms'));
  const text = reportText({ name: 'pay', findings });
  expect(text).toContain('could not be checked: the alarms: AccessDeniedException: not for you');
  expect(text).toContain('0 errors, 0 warnings, 1 not checked');
});

test('what is read is what, why and fix', async () => {
  const findings = await findingsOf((d) => Object.assign(d.queue, { VisibilityTimeout: '100' }));
  const text = reportText({ name: 'pay', findings });
  expect(text).toContain('the queue hides a message for 100 s');
  expect(text).toContain('fix  set VisibilityTimeout to at least 180');
  expect(text).toContain('1 error, 0 warnings');
});
