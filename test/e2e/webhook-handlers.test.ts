// The webhook programs of handlers/, over a real table and a real queue.
import { createHmac } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LambdaReceiver } from '../../lib/index.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { type Asked, eventOf, type Kind, type Told, toldBy } from '../support/http-events.ts';

let aws: LocalAws;
let queueUrl: string;

beforeAll(async () => {
  aws = await startLocalAws();
  const tableName = await aws.createClaimTable();
  ({ queueUrl } = await aws.createQueuePair({ name: 'parcel-events' }));
  const env = {
    ...aws.env,
    SQS_ONCE_TABLE: tableName,
    PARCEL_EVENTS_QUEUE_URL: queueUrl,
    WEBHOOK_SECRET: 'shared',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {});
}, 60_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await aws?.stop();
});

async function ask(handler: LambdaReceiver, asked: Asked, kind: Kind = 'function URL'): Promise<Told> {
  return toldBy(kind, await handler(eventOf(kind, asked), { getRemainingTimeInMillis: () => 20_000 }));
}

async function received(): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { Messages = [] } = await aws.sqs().send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['sqs-once'],
      }),
    );
    if (Messages.length === 0) return all;
    all.push(...Messages);
  }
}

const rows = async () => (await aws.dynamo().send(new ScanCommand({ TableName: 'claims' }))).Items ?? [];

const event = (eventId: string, attempt = 1) =>
  JSON.stringify({ eventId, parcelId: 'p1', status: 'delivered', attempt, sentAt: `${attempt}` });

describe('handlers/webhook.ts', () => {
  test('puts an event into the queue once, however often and however the carrier calls', async () => {
    const { handler } = await import('../../handlers/webhook.ts');
    const calls: readonly (readonly [number, Kind])[] = [
      [1, 'function URL'],
      [2, 'HTTP API, payload 2.0'],
      [3, 'REST API'],
    ];
    const told = [];
    for (const [attempt, kind] of calls) told.push(await ask(handler, { body: event('e1', attempt) }, kind));
    expect(told.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(told.map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true', 'true']);

    const [message, ...others] = await received();
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '')).toEqual({ eventId: 'e1', parcelId: 'p1', status: 'delivered' });
    // The next consumer finds its key here, so even a follow-up that is sent twice is handled once.
    expect(JSON.parse(message?.MessageAttributes?.['sqs-once']?.StringValue ?? '')).toMatchObject({
      followUp: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  test('refuses what is no event, and takes nothing down', async () => {
    const { handler } = await import('../../handlers/webhook.ts');
    const before = await rows();
    expect((await ask(handler, { body: '{"eventId":"e2"}' })).status).toBe(400);
    expect((await ask(handler, { body: event('e1').replace('p1', 'p2') })).status).toBe(422);
    expect(await rows()).toEqual(before);
  });
});

describe('handlers/signed-webhook.ts', () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const signed = (body: string, { secret = 'shared', at = now() } = {}): Asked => ({
    body,
    headers: [
      [
        'X-Carrier-Signature',
        `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
      ],
    ],
  });

  test('lets nobody in who cannot sign, and nothing that was signed too long ago', async () => {
    const handler = (await import('../../handlers/signed-webhook.ts')).handler as unknown as LambdaReceiver;
    const before = await rows();
    const call = (asked: Asked) =>
      handler(eventOf('function URL', asked), { getRemainingTimeInMillis: () => 20_000 });
    for (const asked of [
      { body: event('s1') },
      signed(event('s1'), { secret: 'guessed' }),
      signed(event('s1'), { at: now() - 301 }),
      { ...signed(event('s1')), body: event('s2') },
    ]) {
      expect(await call(asked)).toEqual({ statusCode: 401 });
    }
    expect(await rows()).toEqual(before);
  });

  test('takes a signed event down once, though every retry is signed anew', async () => {
    const handler = (await import('../../handlers/signed-webhook.ts')).handler as unknown as LambdaReceiver;
    expect((await ask(handler, signed(event('s1'), { at: now() - 60 }))).status).toBe(202);
    const retry = await ask(handler, { ...signed(event('s1')), base64: true });
    expect([retry.status, retry.headers['idempotency-replayed']]).toEqual([202, 'true']);
    expect(await received()).toHaveLength(1);
  });
});
