/** Field cases 11 to 13: answers AWS reads as they are meant, whatever is thrown or left unfinished. */
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import type { Message } from '../../lib/options.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Engine, faces, middys, wholeEvent, world } from '../support/rig.ts';

describe('case 11: the answer is always well formed', () => {
  const nameless: readonly (readonly [string, unknown])[] = [
    ['without a messageId', undefined],
    ['with an empty one', ''],
    ['with a blank one', ' '],
    ['with a number', 17],
  ];

  describe.each(faces)('behind %s', (face) => {
    it.each(nameless)(
      'a record %s is not run, and the event fails once the others are done',
      async (_, messageId) => {
        const w = world();
        const runs: string[] = [];
        const deliver = w.consumer(({ key }: Message) => void runs.push(key), {}, face);
        const bad = { ...record('x'), messageId } as SqsRecord;
        await expect(deliver([record('m1'), bad, record('m2')], w.clock.context(9_000))).rejects.toThrow(
          'no usable messageId',
        );
        expect(runs).toEqual(['m1', 'm2']);
        expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'completed']);
      },
    );

    it('nothing failed, everything failed, nothing there', async () => {
      const w = world();
      const deliver = w.consumer(
        ({ key }: Message) => {
          if (key.startsWith('bad')) throw new Error(key);
        },
        {},
        face,
      );
      expect(await deliver([record('m1')], w.clock.context(9_000))).toStrictEqual({ batchItemFailures: [] });
      expect(await deliver([], w.clock.context(9_000))).toStrictEqual({ batchItemFailures: [] });
      expect(await deliver([record('bad1'), record('bad2')], w.clock.context(9_000))).toStrictEqual({
        batchItemFailures: [{ itemIdentifier: 'bad1' }, { itemIdentifier: 'bad2' }],
      });
    });

    it('a message that is in the event twice is named once', async () => {
      const w = world();
      let runs = 0;
      const deliver = w.consumer(
        () => {
          runs += 1;
          throw new Error('fails');
        },
        {},
        face,
      );
      const answer = await deliver([record('m1'), record('m1'), record('m1')], w.clock.context(9_000));
      expect(answer).toStrictEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
      expect(runs).toBe(1);
    });
  });

  const foreign: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 'no SQS event'],
    ['an HTTP request', { requestContext: {}, body: '{}' }, 'no SQS event'],
    ['records that are no list', { Records: {} }, 'no SQS event'],
    ['a record of SNS', { Records: [{ EventSource: 'aws:sns', eventSource: 'aws:sns' }] }, 'aws:sns'],
    ['a record that is none', { Records: [null] }, 'object'],
    [
      'a body that was parsed before',
      { Records: [{ ...record('m1'), body: { id: 1 } }] },
      'body is of type object',
    ],
    [
      'a record without its queue',
      { Records: [{ ...record('m1'), eventSourceARN: undefined }] },
      'eventSourceARN',
    ],
  ];

  it.each(foreign)('%s is refused with a sentence', async (_, event, sentence) => {
    const w = world();
    const { consumeOnce, idempotentConsumer }: Engine = await import('../../lib/consumer.ts');
    const never = () => {
      throw new Error('ran');
    };
    const refusal = { name: 'ConfigurationError', message: expect.stringContaining(sentence) };
    await expect(consumeOnce(w.options(), never)(event)).rejects.toMatchObject(refusal);
    for (const [, middy] of middys) {
      const consumer = idempotentConsumer(w.options());
      // Middy puts an empty event in the place of none.
      await expect(middy(never as never).use(consumer)(event as never, {} as never)).rejects.toMatchObject(
        refusal,
      );
      consumer.eachMessage(never);
      await expect(middy(never as never).use(consumer)(event as never, {} as never)).rejects.toMatchObject(
        refusal,
      );
    }
  });
});

const frozen = Object.freeze(new Error('frozen'));
const moody = Object.defineProperty(new Error('x'), 'message', {
  get() {
    throw new Error('the getter');
  },
});
const proxy = new Proxy(new Error('proxied'), {
  get() {
    throw new Error('the trap');
  },
  getPrototypeOf() {
    throw new Error('the trap');
  },
});

const thrown: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a text', 'x'],
  ['a number', 42],
  ['a symbol', Symbol('s')],
  ['a frozen error', frozen],
  ['an error whose message throws', moody],
  ['a Proxy that throws', proxy],
  ['an object that calls itself a RetryLaterError', { name: 'RetryLaterError' }],
  ['one that wants it at no time at all', { name: 'RetryLaterError', afterSeconds: Number.NaN }],
];

describe('case 12: whatever is thrown', () => {
  describe.each(faces)('behind %s', (face) => {
    it.each(thrown)('%s fails its own message, alone and among others', async (_, value) => {
      const w = world();
      const deliver = w.consumer(
        async ({ key }: Message) => {
          if (key.startsWith('bad')) throw value;
        },
        { maxAttempts: 10 },
        face,
      );
      expect(failedIds(await deliver([record('bad1')], w.clock.context(9_000)))).toEqual(['bad1']);
      const three = [record('m1'), record('bad2'), record('m2')];
      expect(failedIds(await deliver(three, w.clock.context(9_000)))).toEqual(['bad2']);
      expect(failedIds(await deliver([record('bad3'), record('bad4')], w.clock.context(9_000)))).toEqual([
        'bad3',
        'bad4',
      ]);
      expect(w.row('bad1')).toMatchObject({ status: 'released' });
      for (const id of ['bad1', 'bad2', 'bad3', 'bad4'])
        expect(w.sqs.visibility.get(`receipt handle of ${id}`)).toBe(23);
      const [failure] = w.seen.of('failed');
      expect(failure?.error === value || failure?.error?.cause === value).toBe(true);
    });
  });
});

describe('case 13: work that is not finished is not done', () => {
  const foreignPromise = (wait: () => Promise<void>) =>
    runInNewContext('new Promise((resolve) => wait().then(() => resolve("later")))', { wait });

  const unfinished: readonly (readonly [
    string,
    (wait: () => Promise<void>, end: () => void) => unknown,
    unknown,
  ])[] = [
    [
      'a thenable of its own kind',
      (wait, end) => ({
        // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
        then(resolve: (value: string) => void) {
          wait().then(() => {
            end();
            resolve('later');
          });
        },
      }),
      'later',
    ],
    ['a promise of another realm', (wait, end) => foreignPromise(() => wait().then(end)), 'later'],
    ['a list of promises', (wait, end) => [wait().then(end), wait(), 'x'], [undefined, undefined, 'x']],
  ];

  describe.each(faces)('behind %s', (face) => {
    it.each(unfinished)('%s is waited for', async (_, make, result) => {
      const w = world();
      let ended = false;
      const outcomes: unknown[] = [];
      const deliver = w.consumer(
        () =>
          make(
            () => w.clock.wait(500),
            () => {
              ended = true;
            },
          ),
        {
          onDuplicate: (_message: unknown, outcome: { result?: unknown }) =>
            void outcomes.push(outcome.result),
        },
        face,
      );
      const answer = deliver([record('m1')], w.clock.context(9_000));
      await w.clock.pass(100);
      expect(w.row('m1')?.status).toBe('leased');
      expect(failedIds(await w.clock.until(answer))).toEqual([]);
      expect(ended).toBe(true);
      await deliver([again(record('m1'))], w.clock.context(9_000));
      expect(outcomes).toHaveLength(1);
      if (!Array.isArray(result)) expect(outcomes).toEqual([result]);
    });

    it('a list of promises of which one fails, fails when all have ended', async () => {
      const w = world();
      let ended = false;
      const deliver = w.consumer(
        () => [
          Promise.reject(new Error('first')),
          w.clock.wait(500).then(() => {
            ended = true;
          }),
        ],
        {},
        face,
      );
      expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(9_000))))).toEqual(['m1']);
      expect(ended).toBe(true);
      expect(w.row('m1')?.lastError).toBe('Error: first');
    });
  });

  it.each([1, 3])(
    'with concurrency %i no more than that overlap, whatever they await',
    async (concurrency) => {
      const w = world();
      let running = 0;
      let most = 0;
      const deliver = w.consumer(
        async ({ receives }: Message) => {
          running += 1;
          most = Math.max(most, running);
          await w.clock.wait(10 * receives);
          await null;
          await w.clock.wait(5);
          running -= 1;
          if (receives === 2) throw new Error('fails');
        },
        { concurrency },
      );
      const messages = Array.from({ length: 12 }, (_, place) =>
        record(`m${place}`, { receives: (place % 3) + 1 }),
      );
      await w.clock.until(deliver(messages, w.clock.context(60_000)));
      expect(most).toBe(concurrency);
    },
  );

  describe.each(middys)('a handler that takes its event whole, under %s', (_, middy) => {
    it.each(unfinished)('and answers with %s is waited for', async (_name, make) => {
      const w = world();
      let ended = false;
      const deliver = wholeEvent(middy, w.options(), () =>
        make(
          () => w.clock.wait(500),
          () => {
            ended = true;
          },
        ),
      );
      const answer = deliver(
        ['m1', 'm2', 'm3'].map((id) => record(id)),
        w.clock.context(9_000),
      );
      await w.clock.pass(100);
      expect(w.row('m1')?.status).toBe('leased');
      expect(failedIds(await w.clock.until(answer))).toEqual([]);
      expect(ended).toBe(true);
      expect(w.row('m3')?.status).toBe('completed');
    });

    it('and answers with the promises of its records is settled by each', async () => {
      const w = world();
      const deliver = wholeEvent(middy, w.options(), ({ Records }) =>
        Records.map(async ({ messageId }) => {
          await w.clock.wait(100);
          if (messageId === 'm2') throw new Error('fails');
        }),
      );
      const answer = deliver(
        ['m1', 'm2', 'm3'].map((id) => record(id)),
        w.clock.context(9_000),
      );
      expect(failedIds(await w.clock.until(answer))).toEqual(['m2']);
      expect(w.rows().map(({ status }) => status)).toEqual(['completed', 'released', 'completed']);
    });
  });
});
