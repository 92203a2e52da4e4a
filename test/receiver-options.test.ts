// What cannot work is refused at cold start, with the value got and what would do.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { PoisonMessageError, RetryLaterError } from '../lib/errors.ts';
import { idempotentReceiver, receiveHttp, receiveOnce } from '../lib/receiver.ts';
import { eventOf, toldBy } from './support/http-events.ts';
import { keyed, receiver, receiverOptions } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';

afterEach(() => void vi.unstubAllEnvs());

const refusals: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ scope: '' }, 'scope is ""'],
  [{ caller: undefined }, 'caller is undefined; give a function ({ request })'],
  [{ caller: 'everyone' }, 'caller is "everyone"'],
  [{ requireKey: 'yes' }, 'requireKey is "yes"; give true or false'],
  [{ volatile: '/attempt' }, 'volatile is "/attempt"; give an array'],
  [{ volatile: ['attempt'] }, 'volatile has "attempt"; give a JSON pointer'],
  [{ volatile: [''] }, 'volatile has ""'],
  [{ methods: [] }, 'methods is empty'],
  [{ methods: ['PO ST'] }, 'methods has "PO ST"'],
  [{ methods: ['POST', 'PSOT'] }, 'methods has "PSOT", which is no HTTP method'],
  [{ methods: 'POST' }, 'methods is "POST"'],
  [{ record: [200] }, 'record is an array; give a function'],
  [{ key: 'eventId' }, 'key is "eventId"; give a function'],
  [{ schema: {} }, 'schema is an object; give a Standard Schema'],
  [{ leaseSeconds: 1 }, 'leaseSeconds is 1; give at least 3'],
  [{ retentionSeconds: 0 }, 'retentionSeconds is 0'],
  [{ retentionSeconds: 10, leaseSeconds: 20 }, 'retentionSeconds is 10 and leaseSeconds 20'],
  [{ claims: {} }, 'claims is an object'],
  [{ observers: [1] }, 'observers is an array'],
  [{ maxAttempts: 3 }, 'has no option "maxAttempts"; it has scope, caller'],
  [{ queueUrl: 'x' }, 'has no option "queueUrl"'],
];

describe.each(refusals)('%j', (given, said) => {
  it.each([
    ['receiveOnce', (options: never) => receiveOnce(options, () => undefined)],
    ['idempotentReceiver', (options: never) => idempotentReceiver(options)],
    ['receiveHttp', (options: never) => receiveHttp(options, () => undefined)],
  ] as const)('is refused by %s', (_, make) => {
    const options = { ...receiverOptions(world()), ...given } as never;
    expect(() => make(options)).toThrow(said);
    expect(() => make(options)).toThrow(expect.objectContaining({ name: 'ConfigurationError' }));
  });
});

it('a body limit is an option of the server alone', () => {
  const options = receiverOptions(world());
  expect(() => receiveOnce({ ...options, maxBodyBytes: 10 } as never, () => undefined)).toThrow(
    'has no option "maxBodyBytes"',
  );
  expect(() => receiveHttp({ ...options, maxBodyBytes: -1 }, () => undefined)).toThrow('maxBodyBytes is -1');
  expect(() => receiveHttp(undefined as never, () => undefined)).toThrow('receiveHttp was given undefined');
  expect(() => receiveHttp(options, 'handler' as never)).toThrow('receiveHttp was given string');
});

it('code that says otherwise than the deployment is refused', () => {
  vi.stubEnv('SQS_ONCE_LEASE_SECONDS', '20');
  expect(() => receiveOnce(receiverOptions(world(), { leaseSeconds: 30 }), () => undefined)).toThrow(
    'leaseSeconds is 30 in code and 20 in SQS_ONCE_LEASE_SECONDS',
  );
});

it('the retention the construct set is kept', async () => {
  vi.stubEnv('SQS_ONCE_RETENTION_SECONDS', '7200');
  const w = world();
  await receiver(w, () => undefined)(keyed('k1'));
  expect(w.rows()[0]?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 7_200);
});

describe('a body', () => {
  const Order = z.object({ sku: z.string(), at: z.coerce.date() });

  it('is what the schema makes of it', async () => {
    const w = world();
    const lambda = receiveOnce(
      { ...receiverOptions(w), schema: Order } as never,
      (({ body }: never) => ({
        statusCode: 200,
        body: String((body as z.infer<typeof Order>).at instanceof Date),
      })) as never,
    );
    const event = eventOf('function URL', { ...keyed('k'), body: '{"sku":"cup","at":"2026-11-30"}' });
    expect(toldBy('function URL', await lambda(event)).body.toString()).toBe('true');
  });

  it.each([
    ['that does not match it', '{"sku":7,"at":"2026-11-30"}', 'does not match the schema at /sku'],
    ['that is no JSON', '{"sku":', 'is not JSON'],
    ['that is empty', '', 'is not JSON'],
  ])('%s is refused with the place and without the value; nothing is claimed', async (_, body, why) => {
    const w = world();
    const ask = receiver(w, () => undefined, { schema: Order } as never);
    const answer = await ask({ ...keyed('k'), body });
    expect(answer).toMatchObject({
      status: 400,
      json: { type: expect.stringMatching(/#body-unreadable$/), detail: expect.stringContaining(why) },
    });
    expect(w.rows()).toEqual([]);
  });

  it('may be anything where nobody said what it is', async () => {
    const w = world();
    const ask = receiver(w, ({ body, bytes }) => ({ statusCode: 200, body: { body, size: bytes.length } }));
    expect((await ask({ ...keyed('a'), body: 'a=1&b=2' })).json).toEqual({ size: 7 });
    expect((await ask({ ...keyed('b'), body: '[1]' })).json).toEqual({ body: [1], size: 3 });
    expect((await ask(keyed('c'))).json).toEqual({ size: 0 });
  });

  it('is read by `parse`, whose words on purpose count', async () => {
    const w = world();
    const parse = (text: string) => {
      if (text === 'later') throw new RetryLaterError({ afterSeconds: 7 });
      if (text === 'never') throw new PoisonMessageError('no such currency');
      if (text === 'bug') throw new Error('secret');
      return new URLSearchParams(text);
    };
    const ask = receiver(
      w,
      ({ body }) => ({ statusCode: 200, body: String((body as URLSearchParams).get('a')) }),
      {
        parse,
      } as never,
    );
    expect((await ask({ ...keyed('a'), body: 'a=1' })).body.toString()).toBe('1');
    expect(await ask({ ...keyed('b'), body: 'later' })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7' },
    });
    expect((await ask({ ...keyed('c'), body: 'never' })).json).toMatchObject({
      status: 400,
      detail: 'no such currency',
    });
    expect((await ask({ ...keyed('d'), body: 'bug' })).body.toString()).not.toContain('secret');
    expect(w.rows()).toHaveLength(1);
  });
});

describe('a caller', () => {
  it('may be looked up, and what goes wrong there is thrown on with nothing claimed', async () => {
    const w = world();
    const ask = receiver(w, () => ({ statusCode: 204 }), {
      caller: async ({ request }) => {
        if (request.headers['x-tenant'] === undefined) throw new Error('the directory is away');
        return request.headers['x-tenant'];
      },
    });
    await expect(ask(keyed('k'))).rejects.toThrow('the directory is away');
    expect(w.rows()).toEqual([]);
    expect(
      (
        await ask({
          headers: [
            ['Idempotency-Key', 'k'],
            ['X-Tenant', 't'],
          ],
        })
      ).status,
    ).toBe(204);
  });

  it('that is called "public" is not the public', async () => {
    const w = world();
    await receiver(w, () => undefined, { caller: () => 'public' })(keyed('k'));
    const everyone = receiver(w, () => undefined);
    expect((await everyone(keyed('k'))).headers).not.toHaveProperty('idempotency-replayed');
  });

  it('of one endpoint and a consumer of that name keep their keys apart', async () => {
    const w = world();
    await receiver(w, () => undefined)(keyed('m1'));
    expect(w.row('m1')).toBeUndefined();
    expect(w.rows()).toHaveLength(1);
  });
});
