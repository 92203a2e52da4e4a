/**
 * L14, own echo, behind HTTP: a write of ours that landed though its reply was lost is recognised as ours.
 */
import { expect, it } from 'vitest';
import { awsError, type Purpose } from '../support/faulty-table.ts';
import { keyed, type Receivers, receiver, receiversWithout, requestRow } from '../support/receiver-rig.ts';
import { world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

async function lostReply(of: Purpose, collects: boolean): Promise<void> {
  const w = world();
  let runs = 0;
  const ask = receiver(w, (_, attempt) => {
    runs += 1;
    if (collects) {
      attempt.transaction.put({ TableName: 'orders', Item: { orderId: `run ${runs}` } });
      attempt.transaction.check({
        TableName: 'orders',
        Key: { orderId: 'other' },
        ConditionExpression: 'attribute_not_exists(orderId)',
      });
    }
    return { statusCode: 201, body: 'mine' };
  });
  w.faults.intercept(async (call) => {
    const answer = await call.make();
    if (call.purpose === of && call.count === 1) throw awsError('ECONNRESET');
    return answer;
  });
  const first = await w.clock.until(ask(keyed('k1'), w.clock.context(10_000)));
  expect([first.status, first.body.toString()]).toEqual([201, 'mine']);
  await w.clock.pass(20_000);
  const again = await w.clock.until(ask(keyed('k1'), w.clock.context(10_000)));
  expect([again.status, again.body.toString()]).toEqual([201, 'mine']);
  expect(runs).toBe(1);
  expect(w.items('orders')).toHaveLength(collects ? 1 : 0);
  expect(requestRow(w, 'k1')?.status).toBe('completed');
}

it.each<[Purpose, boolean]>([
  ['settle', false],
  ['commit', true],
])('a lost reply to the %s costs neither the answer nor a second run', (of, collects) =>
  lostReply(of, collects),
);

async function heardOfWhenGivenBack(receivers?: Receivers): Promise<void> {
  const w = world();
  let runs = 0;
  const ask = receiver(
    w,
    (_, attempt) => {
      runs += 1;
      attempt.transaction.put({ TableName: 'orders', Item: { orderId: 'o1' } });
      attempt.transaction.check({
        TableName: 'orders',
        Key: { orderId: 'other' },
        ConditionExpression: 'attribute_not_exists(orderId)',
      });
      return { statusCode: 201, body: 'mine' };
    },
    receivers === undefined ? {} : { receivers },
  );
  w.faults.intercept(async (call) => {
    if (call.purpose !== 'commit') return call.make();
    if (call.count === 1) await call.make();
    throw awsError('ECONNRESET');
  });
  const first = await w.clock.until(ask(keyed('k1'), w.clock.context(10_000)));
  expect([first.status, first.body.toString()]).toEqual([201, 'mine']);
  expect([runs, w.items('orders').length]).toEqual([1, 1]);
}

it('a commit that is heard of only when the claim is given back is answered as done', () =>
  heardOfWhenGivenBack());

it("a receiver that takes its own outcome for another's is caught", async () => {
  await caught(heardOfWhenGivenBack(await receiversWithout('store/settle.ts', { isOwnSettle: () => false })));
});

it('a lost reply to the claim is our own claim: the handler runs at once', async () => {
  const w = world();
  let runs = 0;
  const ask = receiver(w, () => {
    runs += 1;
    return { statusCode: 201 };
  });
  w.faults.intercept(async (call) => {
    // The SDK sends the very same claim again, and the table refuses it: the row stands there already.
    if (call.purpose === 'acquire') await call.make();
    return call.make();
  });
  expect((await ask(keyed('k1'), w.clock.context(10_000))).status).toBe(201);
  expect(runs).toBe(1);
});
