// What an attempt of a request collects commits with its answer, or not at all.
import { describe, expect, it } from 'vitest';
import type { Asked } from './support/http-events.ts';
import { keyed, receiver, requestRow } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

describe('what an attempt collects', () => {
  const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/next';

  it('commits with the answer, and follow-ups are out before it is given', async () => {
    const w = world();
    const ask = receiver(w, ({ key }, attempt) => {
      attempt.transaction.put({ TableName: 'orders', Item: { orderId: key, n: 1 } });
      attempt.transaction.check({
        TableName: 'orders',
        Key: { orderId: 'other' },
        ConditionExpression: 'attribute_not_exists(orderId)',
      });
      attempt.followUps.send({ queueUrl, body: { orderId: key } });
      return { statusCode: 202 };
    });
    expect((await ask(create)).status).toBe(202);
    expect(w.items('orders')).toHaveLength(1);
    expect(w.sqs.inputsOf('SendMessageBatch')).toHaveLength(1);
    expect(w.seen.events.map(({ type }) => type)).toEqual([
      'claiming',
      'claimed',
      'starting',
      'settling',
      'sending',
      'follow-up-sent',
      'completed',
      'answering',
    ]);
  });

  it('and cannot be sent yet is owed: 503, and the retry sends it and gets the replay', async () => {
    const w = world();
    let runs = 0;
    w.sqs.answer('SendMessageBatch', (_, call) => {
      if (call <= 2) throw new Error('SQS is away');
      return { Successful: [{ Id: '0' }], Failed: [] };
    });
    const ask = receiver(w, (_, attempt) => {
      runs += 1;
      attempt.followUps.send({ queueUrl, body: { a: 1 } });
      return { statusCode: 202, body: 'queued' };
    });
    for (const _ of [1, 2]) {
      expect(await ask(create)).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
        json: { type: expect.stringMatching(/#follow-ups-unsent$/) },
      });
    }
    const replay = await ask(create);
    expect(replay).toMatchObject({ status: 202, headers: { 'idempotency-replayed': 'true' } });
    expect(replay.body.toString()).toBe('queued');
    await ask(create);
    expect(runs).toBe(1);
    expect(w.sqs.inputsOf('SendMessageBatch')).toHaveLength(3);
  });

  it("out of order is a no-op that is remembered with the handler's answer", async () => {
    const w = world();
    const later = receiver(w, (_, attempt) => {
      attempt.transaction.transition({
        TableName: 'parcels',
        Key: { parcelId: 'p1' },
        attribute: 'state',
        from: null,
        to: 'sent',
      });
      return { statusCode: 200, body: 'noted' };
    });
    expect((await later({ ...create, ...keyed('e1') })).status).toBe(200);
    const before = w.items('parcels');
    expect((await later({ ...create, ...keyed('e2') })).body.toString()).toBe('noted');
    expect(requestRow(w, 'e2')).toMatchObject({ status: 'rejected' });
    expect(await later({ ...create, ...keyed('e2') })).toMatchObject({
      status: 200,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(w.items('parcels')).toEqual(before);
    expect(w.seen.of('rejected')).toHaveLength(1);
  });

  it('under a condition that does not hold is thrown on, and the claim is free again', async () => {
    const w = world();
    const ask = receiver(w, (_, attempt) => {
      attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'o1' } });
      attempt.transaction.check({
        TableName: 'orders',
        Key: { orderId: 'other' },
        ConditionExpression: 'attribute_exists(orderId)',
      });
      return { statusCode: 201 };
    });
    await expect(ask(create)).rejects.toMatchObject({ name: 'TransactionRejectedError' });
    expect(w.items('orders')).toEqual([]);
    expect(requestRow(w, 'k1')).toMatchObject({ status: 'released', attempts: 1 });
  });

  it('is refused on a request that is not guarded', async () => {
    const w = world();
    const errors: unknown[] = [];
    const ask = receiver(w, (_, attempt) => {
      for (const collect of [
        () => attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'o1' } }),
        () => attempt.followUps.send({ queueUrl, body: 1 }),
        () => attempt.effectKey('e'),
      ]) {
        try {
          collect();
        } catch (error) {
          errors.push((error as Error).name);
        }
      }
    });
    expect((await ask({ ...create, method: 'PUT' })).status).toBe(204);
    expect(errors).toEqual(['ConfigurationError', 'ConfigurationError', 'ConfigurationError']);
  });
});
