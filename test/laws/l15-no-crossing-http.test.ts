/**
 * L15, no crossing, behind HTTP: nothing of one request is seen by another, neither in a warm sandbox nor when
 * they overlap in one process.
 */
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../lib/handle/attempt.ts';
import {
  type ReceiverFace,
  type Receivers,
  receiver,
  receiverFaces,
  receiversWithout,
} from '../support/receiver-rig.ts';
import { world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/next';

async function overlapping(twin: { readonly receivers?: Receivers }, face: ReceiverFace): Promise<void> {
  const w = world();
  const attempts: Attempt[] = [];
  const ask = receiver(
    w,
    async (request, attempt) => {
      const tenant = String(request.headers['x-tenant']);
      attempts.push(attempt);
      attempt.followUps.send({ queueUrl, body: tenant });
      await w.clock.wait(100);
      attempt.transaction.put({ TableName: 'orders', Item: { orderId: tenant } });
      attempt.transaction.check({
        TableName: 'orders',
        Key: { orderId: 'other' },
        ConditionExpression: 'attribute_not_exists(orderId)',
      });
      return { statusCode: 200, headers: { 'X-For': tenant }, cookies: [`t=${tenant}`], body: tenant };
    },
    { face, caller: ({ request }) => request.headers['x-tenant'], ...twin },
  );
  const tenants = Array.from({ length: 20 }, (_, place) => `tenant-${place}`);
  const asked = (tenant: string) => ({
    headers: [
      ['Idempotency-Key', 'the-same-for-all'],
      ['X-Tenant', tenant],
    ] as const,
    body: tenant,
    requestId: tenant,
  });
  const askAll = () =>
    w.clock.until(Promise.all(tenants.map((tenant) => ask(asked(tenant), w.clock.context(10_000)))));
  for (const replayed of [undefined, 'true']) {
    for (const [place, answer] of (await askAll()).entries()) {
      const tenant = tenants[place];
      expect(answer.body.toString()).toBe(tenant);
      expect(answer.headers['x-for']).toBe(tenant);
      expect(answer.cookies).toEqual([`t=${tenant}`]);
      expect(answer.headers['idempotency-replayed']).toBe(replayed);
    }
  }
  expect(w.items('orders')).toHaveLength(20);
  expect(new Set(attempts.map((attempt) => attempt.effectKey('e'))).size).toBe(20);
  const sent = w.sqs.inputsOf('SendMessageBatch').flatMap(({ Entries }) => Entries);
  expect(new Set(sent.map(({ MessageBody }) => MessageBody))).toEqual(new Set(tenants));
  for (const tenant of tenants)
    expect(w.seen.story(tenant)).toEqual(['claimed', 'follow-up-sent', 'completed', 'duplicate']);
  expect(w.clock.timers).toBe(0);
}

describe.each(receiverFaces)('behind %s', (face) => {
  it('twenty overlapping requests of twenty callers under one key share nothing', () =>
    overlapping({}, face));
});

it('a receiver whose attempts share what they collect is caught', async () => {
  const { openAttempt } = await import('../../lib/handle/attempt.ts');
  let shared: ReturnType<typeof openAttempt> | undefined;
  const twin: typeof openAttempt = (...asked) => {
    shared ??= openAttempt(...asked);
    return shared;
  };
  const receivers = await receiversWithout('handle/attempt.ts', { openAttempt: twin });
  // The second tenant's put is refused by the first one's frozen transaction, or its answer is another's.
  await expect(overlapping({ receivers }, 'receiveOnce')).rejects.toThrow();
});

it('a receiver that keeps callers apart by key alone is caught', async () => {
  const receivers = await receiversWithout('arrive/row-key.ts', { callerScope: (scope: string) => scope });
  await caught(overlapping({ receivers }, 'receiveOnce'));
});

it('a later invocation of a warm sandbox finds nothing of an earlier one that ran out of time', async () => {
  const w = world();
  let first: Attempt | undefined;
  const ask = receiver(w, async ({ key }, attempt) => {
    first ??= attempt;
    if (key === 'slow') await w.clock.wait(60_000);
    return { statusCode: 200, body: { aborted: attempt.signal.aborted, number: attempt.number } };
  });
  const slow = { headers: [['Idempotency-Key', 'slow']] as const };
  expect((await w.clock.until(ask(slow, w.clock.context(3_000)))).status).toBe(409);
  const quick = { headers: [['Idempotency-Key', 'quick']] as const };
  expect((await ask(quick, w.clock.context(3_000))).json).toEqual({ aborted: false, number: 1 });
  expect(first?.signal.aborted).toBe(true);
  expect(() => first?.followUps.send({ queueUrl, body: 1 })).toThrow('the attempt is over');
});
