/** Field case 14: other middlewares fail around ours or answer in its place, and the handler answers in its own shape. */
import { describe, expect, it } from 'vitest';
import type { SqsBatchResponse, SqsRecord } from '../../lib/arrive/record.ts';
import { idempotentConsumer } from '../../lib/consumer.ts';
import { again, failedIds, record } from '../support/records.ts';
import { middys, type World, wholeEvent, world } from '../support/rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: middlewares of the two majors share no type
type Middleware = any;

interface Stack {
  readonly w: World;
  readonly runs: string[];
  deliver(...ids: string[]): Promise<SqsBatchResponse>;
}

const throws = (where: string) => () => {
  throw new Error(where);
};

describe.each(middys)('under %s', (_, middy) => {
  /** Middlewares before and behind ours, and a handler of either kind. */
  function stack(
    kind: 'eachMessage' | 'whole event',
    { outside, inside, fails = [] }: { outside?: Middleware; inside?: Middleware; fails?: readonly string[] },
  ): Stack {
    const w = world();
    const runs: string[] = [];
    const consumer = idempotentConsumer(w.options());
    const run = (messageId: string) => {
      runs.push(messageId);
      if (fails.includes(messageId)) throw new Error(messageId);
    };
    const handler =
      kind === 'eachMessage'
        ? consumer.eachMessage(({ record: { messageId } }) => run(messageId))
        : ({ Records }: { Records: SqsRecord[] }) =>
            Promise.allSettled(Records.map(async (each) => run(each.messageId)));
    const stacked = middy(handler as never);
    for (const each of [outside, consumer, inside]) if (each !== undefined) stacked.use(each as never);
    return {
      w,
      runs,
      deliver: (...ids) =>
        stacked({ Records: ids.map((id) => record(id)) } as never, w.clock.context(30_000) as never) as never,
    };
  }

  const kinds = ['eachMessage', 'whole event'] as const;

  it.each(kinds)('%s: a throw before ours runs and claims nothing', async (kind) => {
    const { w, runs, deliver } = stack(kind, { outside: { before: throws('parser') } });
    await expect(deliver('m1', 'm2')).rejects.toThrow('parser');
    expect(runs).toEqual([]);
    expect(w.rows()).toEqual([]);
    expect(w.clock.timers).toBe(0);
  });

  it.each(kinds)(
    '%s: a throw behind ours, before the handler, completes nothing and gives claims back',
    async (kind) => {
      const { w, runs, deliver } = stack(kind, { inside: { before: throws('validator') } });
      await expect(deliver('m1', 'm2')).rejects.toThrow('validator');
      expect(runs).toEqual([]);
      expect(w.rows().map(({ status }) => status)).toEqual(
        kind === 'eachMessage' ? [] : ['released', 'released'],
      );
      expect(w.clock.timers).toBe(0);
    },
  );

  it('whole event: a throw behind ours, after the handler, counts as the handler’s', async () => {
    const { w, runs, deliver } = stack('whole event', { inside: { after: throws('serializer') } });
    await expect(deliver('m1', 'm2')).rejects.toThrow('serializer');
    expect(runs).toEqual(['m1', 'm2']);
    expect(w.rows()).toMatchObject([
      { status: 'released', attempts: 1 },
      { status: 'released', attempts: 1 },
    ]);
  });

  it('eachMessage: a throw behind ours, after the handler, changes no outcome', async () => {
    const { w, runs, deliver } = stack('eachMessage', { inside: { after: throws('serializer') } });
    await expect(deliver('m1', 'm2')).rejects.toThrow('serializer');
    await expect(deliver('m1', 'm2')).rejects.toThrow('serializer');
    expect(runs).toEqual(['m1', 'm2']);
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it.each(kinds)('%s: an error handler outside cannot acknowledge what failed as a whole', async (kind) => {
    for (const swallow of [
      (request: { response: unknown }) => void Object.assign(request, { response: { statusCode: 500 } }),
      () => ({ statusCode: 500 }),
    ]) {
      const { w, deliver } = stack(kind, {
        outside: { onError: swallow },
        inside: { before: throws('validator') },
      });
      await expect(deliver('m1')).rejects.toThrow('validator');
      w.faults.intercept(() =>
        Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' })),
      );
      await expect(deliver('m2')).rejects.toThrow();
    }
  });

  it.each(kinds)(
    '%s: a middleware outside that changes the answer does not acknowledge what failed',
    async (kind) => {
      const outside = {
        after: (request: object) => void Object.assign(request, { response: { statusCode: 200 } }),
      };
      const { deliver } = stack(kind, { outside, fails: ['m2'] });
      expect(failedIds(await deliver('m1', 'm2'))).toEqual(['m2']);
    },
  );

  it.each(kinds)('%s: a throw outside, after ours, rejects, and what was done stays done', async (kind) => {
    const { w, runs, deliver } = stack(kind, { outside: { after: throws('tracer') }, fails: ['m2'] });
    await expect(deliver('m1', 'm2')).rejects.toThrow('tracer');
    // Without a handler to run the middleware answers early, and Middy then calls nobody else.
    const duplicate = deliver('m1');
    if (kind === 'eachMessage') await expect(duplicate).rejects.toThrow('tracer');
    else expect(failedIds(await duplicate)).toEqual([]);
    expect(runs).toEqual(['m1', 'm2']);
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'released']);
  });

  const answers: readonly (readonly [string, unknown])[] = [
    ['an answer of its own', { statusCode: 200 }],
    ['an empty list of failures', { batchItemFailures: [] }],
    ['null', null],
  ];

  it.each(answers)(
    'eachMessage: a middleware behind ours that answers early, with %s, acknowledges nothing',
    async (_name, early) => {
      const { w, runs, deliver } = stack('eachMessage', { inside: { before: () => early } });
      await expect(deliver('m1')).rejects.toMatchObject({ name: 'ConfigurationError' });
      expect(runs).toEqual([]);
      expect(w.rows()).toEqual([]);
    },
  );

  it('eachMessage: an early answer of undefined acknowledges nothing either', async () => {
    const inside = { before: (request: object) => void Object.assign(request, { earlyResponse: undefined }) };
    const { deliver } = stack('eachMessage', { inside });
    await expect(deliver('m1')).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it('eachMessage: an early answer after the handler does not hide what failed', async () => {
    const { deliver } = stack('eachMessage', {
      inside: { after: () => ({ statusCode: 200 }) },
      fails: ['m2'],
    });
    expect(failedIds(await deliver('m1', 'm2'))).toEqual(['m2']);
  });

  it('eachMessage: an error turned into an answer behind ours does not hide the error', async () => {
    const inside = { before: throws('validator'), onError: () => ({ statusCode: 400 }) };
    const { deliver } = stack('eachMessage', { inside });
    await expect(deliver('m1')).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it.each(answers)(
    'whole event: a middleware behind ours that answers early, with %s, counts as the handler',
    async (_name, early) => {
      const { w, runs, deliver } = stack('whole event', { inside: { before: () => early } });
      expect(failedIds(await deliver('m1', 'm2'))).toEqual([]);
      expect(runs).toEqual([]);
      expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'completed']);
      expect(w.clock.timers).toBe(0);
    },
  );

  it('whole event: an early answer that lists failures is honoured', async () => {
    const inside = { after: () => ({ batchItemFailures: [{ itemIdentifier: 'm2' }] }) };
    const { w, deliver } = stack('whole event', { inside });
    expect(failedIds(await deliver('m1', 'm2'))).toEqual(['m2']);
    expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'released']);
  });

  it.each(['early', 'set'])(
    'whole event: an error turned into an answer behind ours (%s) is the handler’s answer',
    async (how) => {
      const listed = { batchItemFailures: [{ itemIdentifier: 'm1' }] };
      const onError = (request: { response: unknown }) => {
        if (how === 'early') return listed;
        request.response = listed;
        return undefined;
      };
      const { w, deliver } = stack('whole event', { inside: { after: throws('serializer'), onError } });
      expect(failedIds(await deliver('m1', 'm2'))).toEqual(['m1']);
      expect(w.rows().map(({ status }) => status)).toEqual(['released', 'completed']);
      expect(w.clock.timers).toBe(0);
    },
  );
});

const shapes: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['nothing', undefined, []],
  ['null', null, []],
  ['an HTTP answer', { statusCode: 200 }, []],
  ['a text', 'done', []],
  ['failures of its own', { batchItemFailures: [{ itemIdentifier: 'm2' }] }, ['m2']],
  ['no failures of its own', { batchItemFailures: [] }, []],
  ['null failures', { batchItemFailures: null }, []],
  [
    'settled results',
    [{ status: 'fulfilled' }, { status: 'rejected', reason: 1 }, { status: 'fulfilled' }],
    ['m2'],
  ],
  ['too few settled results', [{ status: 'fulfilled', value: 1 }], ['m2', 'm3']],
  ['settled results with a gap', [{ status: 'fulfilled' }, undefined, { status: 'fulfilled' }], ['m2']],
  ['no results at all', [], ['m1', 'm2', 'm3']],
  ['a list of something else', [1, 2], []],
];

const malformed: readonly (readonly [string, unknown])[] = [
  ['a foreign id', [{ itemIdentifier: 'm9' }]],
  ['an empty id', [{ itemIdentifier: '' }]],
  ['a null id', [{ itemIdentifier: null }]],
  ['another name for it', [{ messageId: 'm1' }]],
  ['bare ids', ['m1']],
  ['no list', 'm1'],
];

describe.each(middys)('a whole-event handler under %s', (_, middy) => {
  it.each(shapes)('may answer with %s', async (_name, answer, failed) => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), () => answer);
    const messages = ['m1', 'm2', 'm3'].map((id) => record(id));
    expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual(failed);
    for (const { messageId } of messages) {
      expect(w.row(messageId)?.status).toBe(failed.includes(messageId) ? 'released' : 'completed');
    }
    expect(w.clock.timers).toBe(0);
  });

  it.each(malformed)(
    'fails as a whole with failures AWS would misread: %s',
    async (_name, batchItemFailures) => {
      const w = world();
      const deliver = wholeEvent(middy, w.options(), () => ({ batchItemFailures }));
      await expect(deliver([record('m1'), record('m2')], w.clock.context(9_000))).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining('batchItemFailures'),
      });
      expect(w.rows().map(({ status }) => status)).toEqual(['released', 'released']);
      expect(failedIds(await wholeEvent(middy, w.options(), () => undefined)([again(record('m1'))]))).toEqual(
        [],
      );
    },
  );
});
