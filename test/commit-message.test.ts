/** `claim: 'with-commit'`: user code first, then one transaction that is claim, outcome and writes together. */
import { describe, expect, it } from 'vitest';
import { rowKey } from '../lib/arrive/row-key.ts';
import { FencedOutError, PoisonMessageError, RetryLaterError } from '../lib/errors.ts';
import type { Attempt } from '../lib/handle/attempt.ts';
import type { Message } from '../lib/options.ts';
import type { Outcome } from '../lib/settle/outcome.ts';
import { awsError } from './support/faulty-table.ts';
import { again, failedIds, record } from './support/records.ts';
import { faces, middys, wholeEvent, world } from './support/rig.ts';

const withCommit = { claim: 'with-commit' } as const;
const next = 'https://sqs.us-east-1.amazonaws.com/0/next';

describe.each(faces)('behind %s', (face) => {
  it('is one round trip, and leaves the row a claim would', async () => {
    const w = world();
    const attempts: Attempt[] = [];
    const deliver = w.consumer(
      (_message: unknown, attempt: Attempt) => {
        attempts.push(attempt);
        return 'done';
      },
      withCommit,
      face,
    );
    expect(failedIds(await deliver([record('m1', { receives: 3 })], w.clock.context(9_000)))).toEqual([]);
    expect(w.faults.purposes).toEqual(['commit']);
    expect(w.row('m1')).toMatchObject({
      status: 'completed',
      fence: 1,
      attempts: 1,
      result: '"done"',
      settledAt: w.clock.wallMillis(),
    });
    expect(w.row('m1')?.leaseEndsAt).toBeUndefined();
    expect(attempts).toMatchObject([{ number: 3, isLast: false }]);
    expect(attempts[0]?.previousAttempt).toBeUndefined();
    expect(w.seen.story('m1')).toEqual(['completed']);
  });

  it('of concurrent duplicates one commits, and nothing the others collected lands', async () => {
    const w = world();
    let runs = 0;
    const outcomes: Outcome[] = [];
    const deliver = w.consumer(
      async (_message: unknown, { transaction, followUps }: Attempt) => {
        runs += 1;
        const run = runs;
        await w.clock.wait(100);
        transaction.put({ TableName: 'ledger', Item: { id: `run ${run}` } });
        followUps.send({ queueUrl: next, body: `run ${run}` });
        return run;
      },
      { ...withCommit, onDuplicate: (_message: unknown, outcome: Outcome) => void outcomes.push(outcome) },
      face,
    );
    const message = record('m1');
    const answers = [1, 2, 3].map((receives) => deliver([again(message, receives)], w.clock.context(9_000)));
    expect((await w.clock.until(Promise.all(answers))).map(failedIds)).toEqual([[], [], []]);
    expect(runs).toBe(3);
    expect(w.items('ledger')).toEqual([{ id: { S: 'run 1' } }]);
    expect(w.sqs.inputsOf('SendMessageBatch')).toHaveLength(1);
    expect(w.row('m1')).toMatchObject({ fence: 1, result: '1' });
    expect(outcomes).toEqual([
      { status: 'completed', result: 1 },
      { status: 'completed', result: 1 },
    ]);
  });

  it('a failure writes nothing, and waits by receives', async () => {
    const w = world();
    const deliver = w.consumer(
      (_message: unknown, { transaction }: Attempt) => {
        transaction.put({ TableName: 'ledger', Item: { id: 'x' } });
        throw new Error('fails');
      },
      withCommit,
      face,
    );
    expect(failedIds(await deliver([record('m1', { receives: 2 })], w.clock.context(9_000)))).toEqual(['m1']);
    expect(w.rows()).toEqual([]);
    expect(w.items('ledger')).toEqual([]);
    expect(w.sqs.visibility.get('receipt handle of m1')).toBe(68);
  });

  it('at the limit a claim is taken first: a completed message is acknowledged without a run', async () => {
    const w = world();
    const runs: { number: number; isLast: boolean }[] = [];
    const deliver = w.consumer(
      (_message: unknown, { number, isLast }: Attempt) => {
        runs.push({ number, isLast });
        if (number > 1) throw new Error('fails');
      },
      { ...withCommit, maxAttempts: 3 },
      face,
    );
    await deliver([record('m1')], w.clock.context(9_000));
    expect(failedIds(await deliver([again(record('m1'), 3)], w.clock.context(9_000)))).toEqual([]);
    expect(runs).toEqual([{ number: 1, isLast: false }]);

    expect(failedIds(await deliver([record('m2', { receives: 3 })], w.clock.context(9_000)))).toEqual([]);
    expect(runs.at(-1)).toEqual({ number: 3, isLast: true });
    expect(w.row('m2')).toMatchObject({ status: 'parked', reason: 'attempts-exhausted' });
  });

  it('a worker killed at the limit is charged: the next delivery parks without a run', async () => {
    const w = world();
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
      },
      { ...withCommit, maxAttempts: 3 },
      face,
    );
    const nowMillis = w.clock.wallMillis();
    w.seed({
      claim: rowKey(w.scope, 'm1'),
      status: 'leased',
      fence: 1,
      owner: 'killed',
      attempts: 1,
      claimedAt: nowMillis - 60_000,
      leaseEndsAt: nowMillis - 30_000,
      expiresAt: nowMillis / 1_000 + 86_400,
      messageId: 'm1',
    });
    expect(failedIds(await deliver([record('m1', { receives: 4 })], w.clock.context(9_000)))).toEqual([]);
    expect(runs).toBe(0);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'attempts-exhausted' });
  });

  it('a row that is leased is in flight, and nothing lands over it', async () => {
    const w = world();
    const first = w.consumer(() => w.clock.wait(5_000), {}, face);
    const running = first([record('m1')], w.clock.context(30_000));
    await w.clock.pass(0);
    const deliver = w.consumer(
      (_message: unknown, { transaction }: Attempt) =>
        transaction.put({ TableName: 'ledger', Item: { id: 'x' } }),
      withCommit,
      face,
    );
    const duplicate = again(record('m1'));
    expect(failedIds(await deliver([duplicate], w.clock.context(9_000)))).toEqual(['m1']);
    expect(w.sqs.visibility.get(duplicate.receiptHandle)).toBe(32);
    expect(w.items('ledger')).toEqual([]);
    expect(failedIds(await w.clock.until(running))).toEqual([]);
  });

  it.each(['nothing', 'something'])(
    'a table that does not take the commit, with %s collected',
    async (what) => {
      const w = world();
      const deliver = w.consumer(
        (_message: unknown, { transaction }: Attempt) => {
          if (what === 'something') transaction.put({ TableName: 'ledger', Item: { id: 'x' } });
          return 7;
        },
        withCommit,
        face,
      );
      w.faults.intercept((call) => {
        if (call.purpose === 'commit') throw awsError('ThrottlingException');
        return call.make();
      });
      const answer = await w.clock.until(deliver([record('m1')], w.clock.context(9_000)));
      expect(failedIds(answer)).toEqual(what === 'nothing' ? [] : ['m1']);
      expect(w.seen.story('m1')).toEqual([what === 'nothing' ? 'outcome-unrecorded' : 'failed']);
      w.faults.intercept(() => Promise.reject(awsError('AccessDeniedException')));
      await expect(w.clock.until(deliver([record('m2')], w.clock.context(9_000)))).rejects.toThrow(
        'AccessDenied',
      );
    },
  );

  it('a handler that outlives its time lands nothing', async () => {
    const w = world();
    let late: unknown;
    const deliver = w.consumer(
      async (_message: unknown, { transaction }: Attempt) => {
        transaction.put({ TableName: 'ledger', Item: { id: 'early' } });
        await w.clock.wait(60_000);
        try {
          transaction.put({ TableName: 'ledger', Item: { id: 'late' } });
        } catch (error) {
          late = error;
        }
      },
      withCommit,
      face,
    );
    expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(9_000))))).toEqual(['m1']);
    await w.clock.pass(60_000);
    expect(late).toBeInstanceOf(FencedOutError);
    expect(w.items('ledger')).toEqual([]);
    expect(w.rows()).toEqual([]);
    expect(w.clock.timers).toBe(0);
  });

  it('a row that keeps changing sends the message back instead of turning for ever', async () => {
    const w = world();
    const deliver = w.consumer(() => undefined, withCommit, face);
    let fence = 0;
    w.faults.intercept((call) => {
      fence += 1;
      w.seed({
        claim: rowKey(w.scope, 'm1'),
        status: 'released',
        fence,
        owner: `o${fence}`,
        attempts: 0,
        claimedAt: 1,
        expiresAt: 3e9,
      });
      return call.make();
    });
    expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(9_000))))).toEqual(['m1']);
    expect(w.faults.purposes.length).toBeLessThan(20);
    expect(w.row('m1')?.status).toBe('released');
  });

  it('poison is parked, later is later', async () => {
    const w = world();
    const deliver = w.consumer(
      ({ key }: Message) => {
        throw key === 'm1' ? new PoisonMessageError('no') : new RetryLaterError({ afterSeconds: 5 });
      },
      withCommit,
      face,
    );
    expect(failedIds(await deliver([record('m1'), record('m2')], w.clock.context(9_000)))).toEqual(['m2']);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'poison' });
    expect(w.sqs.visibility.get('receipt handle of m2')).toBe(5);
    expect(w.rows()).toHaveLength(1);
  });
});

it.each(middys)('a handler that takes its event whole cannot be used with it, under %s', async (_, middy) => {
  const w = world();
  const deliver = wholeEvent(middy, w.options(withCommit as never), () => undefined);
  await expect(deliver([record('m1')])).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('use eachMessage'),
  });
});
