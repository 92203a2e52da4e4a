/**
 * L15, no crossing: nothing of one invocation is visible in another, neither in a warm sandbox nor when
 * invocations overlap in one process.
 */
import { describe, expect, it, vi } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { consumeOnce, idempotentConsumer } from '../../lib/consumer.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { attemptFor } from '../../lib/handle/attempts.ts';
import type { Message } from '../../lib/options.ts';
import { memoryClaims } from '../../lib/store/memory.ts';
import { awsError } from '../support/faulty-table.ts';
import { again, bodyOf, failedIds, fifoRecord, record } from '../support/records.ts';
import { type Face, faces, middys, type WorldOptions, wholeEvent, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

async function outOfTime(twin: WorldOptions, face: Face): Promise<void> {
  const w = world(twin);
  const aborted = new Map<string, boolean>();
  const deliver = w.consumer(
    async ({ record: { messageId } }: Message, { signal }: Attempt) => {
      await w.clock.wait(5_000);
      aborted.set(messageId, signal.aborted);
    },
    {},
    face,
  );
  const short = deliver([record('short')], w.clock.context(2_000));
  const long = deliver([record('long')], w.clock.context(20_000));
  expect(failedIds(await w.clock.until(short))).toEqual(['short']);
  expect(failedIds(await w.clock.until(long))).toEqual([]);
  expect(aborted).toEqual(
    new Map([
      ['short', true],
      ['long', false],
    ]),
  );
}

async function doomed(twin: WorldOptions, face: Face): Promise<void> {
  const w = world(twin);
  const deliver = w.consumer(() => w.clock.wait(1_000), {}, face);
  w.faults.intercept((call) => {
    if (call.purpose === 'acquire' && call.count === 2) throw awsError('AccessDeniedException');
    return call.make();
  });
  const answers = [deliver([record('m1')]), deliver([record('m2')])].map((answer) =>
    answer.then(failedIds, (error: Error) => error.name),
  );
  expect(await w.clock.until(Promise.all(answers))).toEqual([[], 'ConfigurationError']);
  const next = deliver([record('m2'), again(record('m1'))]).then(failedIds, (error: Error) => error.name);
  expect(await w.clock.until(next)).toEqual([]);
}

/** An engine that opens one invocation and keeps to it. */
async function engineOfOneInvocation() {
  const real = await import('../../lib/invocation.ts');
  let only: ReturnType<typeof real.openInvocation> | undefined;
  return engineWithout('invocation.ts', {
    openInvocation: (...given: Parameters<typeof real.openInvocation>) =>
      (only ??= real.openInvocation(...given)),
  });
}

describe('an engine whose invocations share what belongs to one', () => {
  it('is caught by the time', async () =>
    caught(outOfTime({ engine: await engineOfOneInvocation() }, 'consumeOnce')));

  it('is caught by the doom', async () =>
    caught(doomed({ engine: await engineOfOneInvocation() }, 'consumeOnce')));
});

describe.each(faces)('behind %s', (face) => {
  it('overlapping invocations answer each for its own messages, with its own attempts', async () => {
    const w = world();
    const seen = new Map<string, Attempt>();
    const deliver = w.consumer(
      async ({ record: { messageId } }: Message, attempt: Attempt) => {
        seen.set(messageId, attempt);
        await w.clock.wait(messageId.includes('slow') ? 300 : 10);
        if (messageId.endsWith('bad')) throw new Error(messageId);
      },
      {},
      face,
    );
    const answers = await w.clock.until(
      Promise.all(
        ['p', 'q', 'r', 's'].map((name) =>
          deliver(
            ['slow', 'good', 'bad', 'slow-bad'].map((kind) => record(`${name}-${kind}`)),
            w.clock.context(30_000),
          ),
        ),
      ),
    );
    expect(answers.map(failedIds)).toEqual(
      ['p', 'q', 'r', 's'].map((name) => [`${name}-bad`, `${name}-slow-bad`]),
    );
    expect(new Set(seen.values()).size).toBe(16);
    expect(new Set([...seen.values()].map((attempt) => attempt.effectKey('x'))).size).toBe(16);
  });

  it('one invocation that runs out of time stops nobody else', () => outOfTime({}, face));

  it('one invocation that fails as a whole fails nobody else, and nobody after it', () => doomed({}, face));

  it('a stopped FIFO group of one invocation does not stop it in the next', async () => {
    const w = world();
    let fail = true;
    const deliver = w.consumer(
      () => {
        if (fail) throw new Error('fails');
      },
      {},
      face,
    );
    const messages = [fifoRecord('a1'), fifoRecord('a2')];
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(['a1', 'a2']);
    fail = false;
    expect(
      failedIds(
        await deliver(
          messages.map((each) => again(each)),
          w.clock.context(9_000),
        ),
      ),
    ).toEqual([]);
  });

  it('what the handler does to a record or a body is seen by nobody else', async () => {
    const w = world();
    const bodies: unknown[] = [];
    const records: SqsRecord[] = [];
    const deliver = w.consumer(
      (message: Message<{ id: string }>) => {
        bodies.push(structuredClone(message.body));
        records.push(message.record);
        Object.assign(message.body, { id: 'changed' });
        expect(() => Object.assign(message.record, { body: 'changed' })).toThrow();
        expect(() => Object.assign(message.record.attributes, { SentTimestamp: '0' })).toThrow();
        throw new Error('once more');
      },
      {},
      face,
    );
    const message = record('m1');
    await deliver([message], w.clock.context(9_000));
    await deliver([message], w.clock.context(9_000));
    expect(bodies).toEqual([bodyOf('m1'), bodyOf('m1')]);
    expect(message).toEqual(record('m1'));
  });
});

describe.each(middys)('handlers that take their event whole, under %s', (_, middy) => {
  it('get the attempts of their own event, also for the same records in two of them at once', async () => {
    const w = world();
    const keys: Record<string, string[]> = {};
    const consume = (scope: string) =>
      wholeEvent(middy, w.options({ scope }), async ({ Records }) => {
        await w.clock.wait(100);
        keys[scope] = Records.map((each) => attemptFor(each).effectKey('x'));
        // A copy fits both events, and handing out either attempt could be wrong.
        expect(() => attemptFor({ ...(Records[0] as SqsRecord) })).toThrow('two events');
        await w.clock.wait(100);
      });
    const records = [record('m1'), record('m2')];
    const both = Promise.all(['left', 'right'].map((scope) => consume(scope)(records)));
    expect((await w.clock.until(both)).map(failedIds)).toEqual([[], []]);
    expect(new Set(Object.values(keys).flat()).size).toBe(4);
    expect(() => attemptFor(record('m1'))).toThrow('not being handled');
  });

  it('find an attempt by message id for a copy', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      const [first] = Records;
      expect(attemptFor(structuredClone(first as SqsRecord))).toBe(attemptFor(first as SqsRecord));
      expect(attemptFor({ messageId: 'm1' }).number).toBe(1);
      expect(() => attemptFor({ messageId: 'm2' })).toThrow('not being handled');
    });
    expect(failedIds(await deliver([record('m1')]))).toEqual([]);
  });

  it('leave no attempt behind, even when the handler outlives its time', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), () => new Promise(() => {}));
    vi.useFakeTimers();
    try {
      const remaining = { getRemainingTimeInMillis: () => 2_000 };
      const answer = deliver([record('m1')], remaining).catch((error: Error) => error.name);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await answer).toBe('TimeoutError');
    } finally {
      vi.useRealTimers();
    }
    expect(() => attemptFor(record('m1'))).toThrow('not being handled');
    expect(w.row('m1')?.status).toBe('leased');
  });
});

it('two consumers that share a store, and the names of their keys, do not meet', async () => {
  const w = world();
  const runs: string[] = [];
  // 'a' + 'bc' and 'ab' + 'c' would be one text.
  const left = w.consumer(() => void runs.push('left'), { scope: 'a', key: () => 'bc' });
  const right = w.consumer(() => void runs.push('right'), { scope: 'ab', key: () => 'c' });
  await left([record('m1')]);
  await right([record('m1')]);
  await left([record('m2', { body: bodyOf('m1') })]);
  expect(runs).toEqual(['left', 'right']);
});

it('an invocation leaves no timer in the process', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const options = { scope: 'timers', claims: memoryClaims(), sqs: world().sqs, partialResponses: true };
  const handlers = [
    consumeOnce({ ...options, leaseSeconds: 3 } as never, async () => undefined),
    consumeOnce({ ...options, claim: 'with-commit' } as never, async () => {
      throw new Error('fails');
    }),
  ];
  const before = timers();
  const remaining = { getRemainingTimeInMillis: () => 60_000 };
  for (const [place, handler] of handlers.entries()) {
    const sentAt = new Date();
    await handler({ Records: [record(`m${place}`, { sentAt }), record(`n${place}`, { sentAt })] }, remaining);
    expect(timers()).toBe(before);
  }
  const consumer = idempotentConsumer({ ...options, scope: 'whole' } as never);
  for (const [, middy] of middys) {
    await middy((() => undefined) as never).use(consumer)(
      { Records: [record('m9')] } as never,
      remaining as never,
    );
    expect(timers()).toBe(before);
  }
});
