/** An existing handler that takes its event whole, unchanged, behind the middleware. */
import { describe, expect, it } from 'vitest';
import { rowKey } from '../lib/arrive/row-key.ts';
import { PoisonMessageError, RetryLaterError } from '../lib/errors.ts';
import { attemptFor } from '../lib/handle/attempts.ts';
import type { Outcome } from '../lib/settle/outcome.ts';
import { again, failedIds, fifoRecord, record } from './support/records.ts';
import { middys, wholeEvent, world } from './support/rig.ts';
import { anotherProcess } from './support/twins.ts';

const next = 'https://sqs.us-east-1.amazonaws.com/0/next';

describe.each(middys)('under %s', (_, middy) => {
  it('the handler runs once for all messages that may run, and is not called when there is none', async () => {
    const w = world();
    const seen: string[][] = [];
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      seen.push(Records.map(({ messageId }) => messageId));
    });
    const first = record('m1');
    expect(failedIds(await deliver([first], w.clock.context(30_000)))).toEqual([]);
    const more = [again(first), record('m2'), record('m3', { body: 'no JSON' }), record('m4'), record('m2')];
    expect(failedIds(await deliver(more, w.clock.context(30_000)))).toEqual([]);
    expect(failedIds(await deliver([again(first)], w.clock.context(30_000)))).toEqual([]);
    expect(seen).toEqual([['m1'], ['m2', 'm4']]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'completed', 'duplicate', 'duplicate']);
    expect(w.seen.story('m3')).toEqual(['parked']);
    expect(w.clock.timers).toBe(0);
  });

  const values = [undefined, null, 0, '', false, [], { charge: 1 }];

  it.each(values)('the value %o of a settled result is what a duplicate gets', async (value) => {
    const w = world();
    const outcomes: Outcome[] = [];
    let calls = 0;
    const options = w.options({
      onDuplicate: (_message: unknown, outcome: Outcome) => void outcomes.push(outcome),
    });
    const deliver = wholeEvent(middy, options, () => {
      calls += 1;
      return [{ status: 'fulfilled', value }];
    });
    for (const receives of [1, 2, 3]) {
      expect(failedIds(await deliver([again(record('m1'), receives)], w.clock.context(9_000)))).toEqual([]);
    }
    expect(calls).toBe(1);
    expect(outcomes).toEqual([
      { status: 'completed', result: value },
      { status: 'completed', result: value },
    ]);
  });

  it('an answer for the whole event is not kept as the result of each message', async () => {
    const w = world();
    const outcomes: Outcome[] = [];
    const options = w.options({
      onDuplicate: (_message: unknown, outcome: Outcome) => void outcomes.push(outcome),
    });
    const deliver = wholeEvent(middy, options, () => ({ statusCode: 200 }));
    await deliver([record('m1')], w.clock.context(9_000));
    await deliver([again(record('m1'))], w.clock.context(9_000));
    expect(outcomes).toEqual([{ status: 'completed', notKept: 'the handler answered for the whole event' }]);
  });

  it('a throw fails every message, and the invocation', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options({ maxAttempts: 2 }), () => {
      throw new RangeError('all of it');
    });
    const messages = [record('m1'), record('m2')];
    await expect(deliver(messages, w.clock.context(9_000))).rejects.toThrow('all of it');
    for (const row of w.rows()) expect(row).toMatchObject({ status: 'released', attempts: 1 });
    expect([...w.sqs.visibility.values()]).toEqual([23, 23]);
    // The last attempts: parked, and acknowledged when they come back.
    await expect(
      deliver(
        messages.map((each) => again(each)),
        w.clock.context(9_000),
      ),
    ).rejects.toThrow('all of it');
    for (const row of w.rows()) expect(row).toMatchObject({ status: 'parked', reason: 'attempts-exhausted' });
    expect(
      failedIds(
        await deliver(
          messages.map((each) => again(each, 3)),
          w.clock.context(9_000),
        ),
      ),
    ).toEqual([]);
    expect(w.sqs.inputsOf('SendMessage')).toHaveLength(2);
  });

  it('an error that decides over a message decides over one, not over all of an event', async () => {
    const w = world();
    let error: Error = new PoisonMessageError('bad');
    const deliver = wholeEvent(middy, w.options(), () => {
      throw error;
    });
    await expect(deliver([record('m1'), record('m2')], w.clock.context(9_000))).rejects.toBe(error);
    for (const row of w.rows()) expect(row).toMatchObject({ status: 'released', attempts: 1 });
    await expect(deliver([again(record('m1'))], w.clock.context(9_000))).rejects.toBe(error);
    expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'poison' });
    error = new RetryLaterError({ afterSeconds: 40 });
    await expect(deliver([again(record('m2'))], w.clock.context(9_000))).rejects.toBe(error);
    expect(w.row('m2')).toMatchObject({ status: 'released', attempts: 1 });
    expect(w.sqs.visibility.get('receipt handle 2 of m2')).toBe(40);
  });

  it('each settled result decides over its own message', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), () => [
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new PoisonMessageError('bad') },
      { status: 'rejected', reason: new RetryLaterError({ afterSeconds: 40 }) },
      { status: 'rejected', reason: undefined },
    ]);
    const messages = ['m1', 'm2', 'm3', 'm4'].map((id) => record(id));
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(['m3', 'm4']);
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'parked', 'released', 'released']);
    expect(w.row('m3')?.attempts).toBe(0);
    expect(w.row('m4')?.attempts).toBe(1);
  });

  it('what attempts collect commits with each message, or not at all', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), ({ Records }) =>
      Promise.allSettled(
        Records.map(async (given) => {
          const { transaction, followUps, effectKey } = attemptFor(given);
          expect(effectKey('charge')).toMatch(/^[\w-]+$/);
          transaction.put({ TableName: 'ledger', Item: { id: given.messageId } });
          followUps.send({ queueUrl: next, body: given.messageId });
          if (given.messageId === 'm2') throw new Error('fails');
        }),
      ),
    );
    const messages = ['m1', 'm2', 'm3'].map((id) => record(id));
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(['m2']);
    expect(
      w
        .items('ledger')
        .map(({ id }) => id?.S)
        .sort(),
    ).toEqual(['m1', 'm3']);
    const bodies = w.sqs
      .inputsOf('SendMessageBatch')
      .flatMap(({ Entries }) => Entries.map((each: { MessageBody: string }) => each.MessageBody));
    expect(bodies.sort()).toEqual(['m1', 'm3']);
  });

  it('a handler that succeeded keeps its success, also behind a failed head of a FIFO group', async () => {
    const w = world();
    let calls = 0;
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      calls += 1;
      return Records.map(({ messageId }) =>
        messageId === 'a1' && calls === 1
          ? { status: 'rejected', reason: new Error('a1') }
          : { status: 'fulfilled' },
      );
    });
    const messages = [fifoRecord('a1'), fifoRecord('a2')];
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(['a1']);
    expect(
      failedIds(
        await deliver(
          messages.map((each) => again(each)),
          w.clock.context(9_000),
        ),
      ),
    ).toEqual([]);
    expect(w.seen.story('a2')).toEqual(['claimed', 'completed', 'duplicate']);
  });

  it('but what it collected there does not land before what was sent before it', async () => {
    const w = world();
    let fail = true;
    const deliver = wholeEvent(middy, w.options({ maxAttempts: 1 }), ({ Records }) =>
      Records.map((given) => {
        const { messageId } = given;
        attemptFor(given).transaction.put({ TableName: 'ledger', Item: { id: messageId } });
        return fail && messageId === 'a1'
          ? { status: 'rejected', reason: new RetryLaterError({ afterSeconds: 1 }) }
          : { status: 'fulfilled', value: messageId };
      }),
    );
    const messages = ['a1', 'b1', 'a2', 'a3'].map((id) => fifoRecord(id));
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(['a1', 'a2', 'a3']);
    expect(w.items('ledger').map(({ id }) => id?.S)).toEqual(['b1']);
    expect(w.row('a2')).toMatchObject({ status: 'released', attempts: 0 });
    fail = false;
    const rest = messages.filter(({ messageId }) => messageId !== 'b1').map((each) => again(each));
    expect(failedIds(await deliver(rest, w.clock.context(9_000)))).toEqual([]);
    expect(w.items('ledger').map(({ id }) => id?.S)).toEqual(['b1', 'a1', 'a2', 'a3']);
    expect(w.row('a3')).toMatchObject({ status: 'completed', attempts: 1, result: '"a3"' });
  });

  it('a large event keeps to the concurrency, claiming and settling', async () => {
    const w = world();
    let now = 0;
    let most = 0;
    w.faults.intercept(async (call) => {
      now += 1;
      most = Math.max(most, now);
      await null;
      await call.make();
      now -= 1;
    });
    const deliver = wholeEvent(middy, w.options({ concurrency: 20, observers: [] }), () => undefined);
    const messages = Array.from({ length: 1_000 }, (_each, place) => record(`m${place}`));
    expect(failedIds(await deliver(messages, w.clock.context(60_000)))).toEqual([]);
    expect(most).toBe(20);
    expect(new Set(w.rows().map(({ status }) => status))).toEqual(new Set(['completed']));
  });

  it('a process frozen between claims and handler renews, and gives a message up that was taken over', async () => {
    const w = world();
    const seen: string[][] = [];
    const options = w.options({ concurrency: 1 });
    const deliver = wholeEvent(middy, options, ({ Records }) => {
      seen.push(Records.map(({ messageId }) => messageId));
    });
    const other = w.consumer(() => undefined, {}, 'consumeOnce', await anotherProcess());
    w.faults.intercept(async (call) => {
      await call.make();
      if (call.purpose !== 'acquire' || call.count !== 3) return;
      w.faults.heal();
      // All are claimed; the process is frozen, and one of them is taken over.
      w.clock.jump({ wall: 40_000 });
      await other([again(record('m2'))], w.clock.context(30_000));
    });
    const messages = ['m1', 'm2', 'm3'].map((id) => record(id));
    expect(failedIds(await deliver(messages, w.clock.context(30_000)))).toEqual(['m2']);
    expect(seen).toEqual([['m1', 'm3']]);
    expect(w.row('m2')).toMatchObject({ status: 'completed', fence: 2 });
    expect(w.seen.of('fenced-out')).toMatchObject([{ messageId: 'm2' }]);
    expect(w.sqs.visibility.size).toBe(0);
  });

  it('short leases are kept alive while the handler runs, and a lost one stops only its message', async () => {
    const w = world();
    const aborted: string[] = [];
    const deliver = wholeEvent(middy, w.options({ leaseSeconds: 3 }), async ({ Records }) => {
      for (const given of Records) {
        attemptFor(given).signal.addEventListener('abort', () => aborted.push(given.messageId));
      }
      await w.clock.wait(20_000);
    });
    const answer = deliver(
      ['m1', 'm2', 'm3'].map((id) => record(id)),
      w.clock.context(60_000),
    );
    await w.clock.pass(5_000);
    expect(w.rows().map(({ leaseEndsAt }) => (leaseEndsAt ?? 0) > w.clock.wallMillis())).toEqual([
      true,
      true,
      true,
    ]);
    w.seed({ ...w.row('m2'), claim: rowKey(w.scope, 'm2'), owner: 'another', fence: 2 });
    expect(failedIds(await w.clock.until(answer))).toEqual(['m2']);
    expect(aborted).toEqual(['m2']);
    expect(w.row('m2')).toMatchObject({ owner: 'another', status: 'leased' });
    expect(w.row('m1')?.status).toBe('completed');
    expect(w.clock.timers).toBe(0);
  });

  it('all its messages are told to stop in one moment: what follows from the first finds the last told too', async () => {
    const w = world();
    const told: boolean[] = [];
    const deliver = wholeEvent(middy, w.options(), async ({ Records }) => {
      const signals = Records.map((given) => attemptFor(given).signal);
      await new Promise((resolve) => signals[0]?.addEventListener('abort', resolve));
      told.push(...signals.map(({ aborted }) => aborted));
    });
    const answer = deliver([record('m1'), record('m2'), record('m3')], w.clock.context(3_000));
    await w.clock.until(answer);
    expect(told).toEqual([true, true, true]);
    expect(w.clock.timers).toBe(0);
  });

  it('without partial responses everything is settled, and then the invocation fails', async () => {
    const w = world();
    let calls = 0;
    const deliver = wholeEvent(middy, w.options({ partialResponses: false }), ({ Records }) => {
      calls += 1;
      return calls === 1 ? { batchItemFailures: [{ itemIdentifier: Records[1]?.messageId }] } : undefined;
    });
    const messages = [record('m1'), record('m2')];
    await expect(deliver(messages, w.clock.context(9_000))).rejects.toThrow('1 of 2');
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'released']);
    expect(
      failedIds(
        await deliver(
          messages.map((each) => again(each)),
          w.clock.context(9_000),
        ),
      ),
    ).toEqual([]);
    expect(w.clock.timers).toBe(0);
  });
});
