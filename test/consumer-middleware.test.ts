/** The middleware and its own `eachMessage`: who finds the records, and who does not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SqsBatchResponse, SqsRecord } from '../lib/arrive/record.ts';
import { idempotentConsumer } from '../lib/consumer.ts';
import type { Message } from '../lib/options.ts';
import { failedIds, record } from './support/records.ts';
import { middys, type World, wholeEvent, world } from './support/rig.ts';

type Event = { Records: SqsRecord[] };
const eventOf = (...ids: string[]): Event => ({ Records: ids.map((id) => record(id)) });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Time passes in the world and for Middy's own timer. */
async function passTogether(w: World, millis: number): Promise<void> {
  for (let passed = 0; passed < millis; passed += 20) {
    await w.clock.pass(20);
    await vi.advanceTimersByTimeAsync(20);
  }
}

describe.each(middys)('under %s', (_, middy) => {
  // biome-ignore lint/suspicious/noExplicitAny: middlewares and handlers of the two majors share no type
  function stack(handler: any, ...middlewares: any[]): (event: unknown, context?: unknown) => Promise<any> {
    const stacked = middy(handler);
    for (const middleware of middlewares) stacked.use(middleware);
    return stacked as never;
  }

  it('another handler under an instance whose eachMessage was called finds no records, and the event comes back', async () => {
    const w = world();
    const consumer = idempotentConsumer(w.options());
    consumer.eachMessage(() => undefined);
    const seen: unknown[] = [];
    const handler = stack((event: Event) => void seen.push(event.Records), consumer);
    await expect(handler(eventOf('m1'), {})).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('give .handler() what eachMessage returned'),
    });
    expect(seen).toEqual([[]]);
    expect(w.rows()).toEqual([]);
  });

  it('eachMessage without its middleware throws before any user code', async () => {
    const w = world();
    let runs = 0;
    const run = () => {
      runs += 1;
    };
    const [one, two] = [idempotentConsumer(w.options()), idempotentConsumer(w.options())];
    const refusal = {
      name: 'ConfigurationError',
      message: expect.stringContaining('without its middleware'),
    };
    await expect(one.eachMessage(run)(eventOf('m1'), {})).rejects.toMatchObject(refusal);
    await expect(stack(one.eachMessage(run))(eventOf('m1'), {})).rejects.toMatchObject(refusal);
    two.eachMessage(run);
    await expect(stack(one.eachMessage(run), two)(eventOf('m1'), {})).rejects.toMatchObject(refusal);
    // Called twice for one event, it does not run the messages twice.
    const base = one.eachMessage(run);
    const twice = async (event: unknown, context: unknown) => {
      await base(event, context);
      return base(event, context);
    };
    await expect(stack(twice, one)(eventOf('m1'), {})).rejects.toMatchObject(refusal);
    expect(runs).toBe(1);
  });

  const between: readonly (readonly [string, (request: { event: Event; context: object }) => void])[] = [
    [
      'spreads the event',
      (request) => void Object.assign(request, { event: { ...request.event, traced: true } }),
    ],
    ['clones the event', (request) => void Object.assign(request, { event: structuredClone(request.event) })],
    [
      'copies the event through JSON',
      (request) => void Object.assign(request, { event: JSON.parse(JSON.stringify(request.event)) }),
    ],
    ['copies the context', (request) => void Object.assign(request, { context: { ...request.context } })],
    [
      'puts records of its own in',
      (request) => void Object.assign(request.event, { Records: [record('forged')] }),
    ],
  ];

  it.each(between)('eachMessage finds its records though a middleware between %s', async (_name, before) => {
    const w = world();
    const runs: string[] = [];
    const consumer = idempotentConsumer(w.options());
    const handler = stack(
      consumer.eachMessage(({ key }: Message) => void runs.push(key)),
      consumer,
      { before },
    );
    expect(failedIds(await handler(eventOf('m1', 'm2'), w.clock.context(9_000)))).toEqual([]);
    expect(runs).toEqual(['m1', 'm2']);
  });

  it('the answer is the one of eachMessage, whatever a wrapper makes of it', async () => {
    const wrappers: ((base: (event: unknown, context: unknown) => Promise<unknown>) => unknown)[] = [
      (base) => async (event: unknown, context: unknown) => {
        await base(event, context);
        return { statusCode: 200 };
      },
      (base) => (event: unknown, context: unknown) => void base(event, context).catch(() => {}),
      (base) => (event: unknown, context: unknown) => ({
        // biome-ignore lint/suspicious/noThenProperty: a promise of the tracer's own kind
        then: (...handlers: []) => base(event, context).then(...handlers),
      }),
    ];
    for (const wrap of wrappers) {
      const w = world();
      const consumer = idempotentConsumer(w.options());
      const base = consumer.eachMessage(async ({ key }: Message) => {
        await w.clock.wait(100);
        if (key === 'm2') throw new Error('fails');
      });
      const answer = stack(wrap(base), consumer)(eventOf('m1', 'm2'), w.clock.context(9_000));
      expect(failedIds(await w.clock.until(answer))).toEqual(['m2']);
    }
  });

  it('middlewares outside see the event as it came, before and after', async () => {
    const w = world();
    const consumer = idempotentConsumer(w.options());
    const seen: unknown[] = [];
    const look = ({ event }: { event: Event }) =>
      void seen.push(event.Records.map(({ messageId }) => messageId));
    const handler = stack(
      consumer.eachMessage(() => undefined),
      { before: look, after: look },
      consumer,
    );
    await handler(eventOf('m1', 'm2'), w.clock.context(9_000));
    expect(seen).toEqual([
      ['m1', 'm2'],
      ['m1', 'm2'],
    ]);
  });

  it('Middy’s own early timeout never comes before our answer', async () => {
    const w = world();
    const consumer = idempotentConsumer(w.options());
    const base = consumer.eachMessage(({ key }: Message) =>
      key === 'm1' ? new Promise(() => {}) : undefined,
    );
    const answer = stack(base, consumer)(eventOf('m1', 'm2'), w.clock.context(2_000)).then(failedIds, String);
    await passTogether(w, 2_000);
    expect(await answer).toEqual(['m1']);
  });

  it('a handler that throws a timeout of its own has failed, and its claims are given back', async () => {
    for (const error of [
      new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
      Object.assign(new Error('socket'), { name: 'TimeoutError', $fault: 'client' }),
    ]) {
      const w = world();
      const deliver = wholeEvent(middy, w.options(), async () => {
        throw error;
      });
      await expect(deliver([record('m1')], w.clock.context(9_000))).rejects.toBe(error);
      expect(w.row('m1')).toMatchObject({ status: 'released', attempts: 1 });
      expect(w.sqs.visibility.get('receipt handle of m1')).toBe(23);
    }
  });

  it('Middy’s early timeout of a whole-event handler keeps the claims: the handler still runs', async () => {
    const w = world();
    const deliver = wholeEvent(middy, w.options(), () => new Promise(() => {}));
    const answer = deliver([record('m1')], w.clock.context(1_200)).then(failedIds, String);
    await passTogether(w, 1_200);
    expect(await answer).toMatch('TimeoutError');
    expect(w.row('m1')).toMatchObject({ status: 'leased', attempts: 1 });
    expect(w.clock.timers).toBe(0);
  });

  it('whatever a middleware behind ours answers to that timeout, nothing is acknowledged or freed', async () => {
    const timeoutMillis = 1_200;
    for (const makeAnswer of [
      (request: { response?: unknown }) => {
        request.response = { batchItemFailures: [] };
      },
      () => ({ batchItemFailures: [] }),
    ]) {
      const w = world();
      const handler = middy(() => new Promise(() => {}))
        .use(idempotentConsumer(w.options()))
        .onError(makeAnswer as never) as unknown as (event: object, context: object) => Promise<unknown>;
      const answer = handler({ Records: [record('m1')] }, w.clock.context(timeoutMillis)).then(
        () => 'answered',
        String,
      );
      await passTogether(w, timeoutMillis);
      expect(await answer).toMatch('TimeoutError');
      expect(w.row('m1')).toMatchObject({ status: 'leased', attempts: 1 });
    }
  });

  it.each<[string, () => unknown]>([
    ['all done', () => ({ batchItemFailures: [] })],
    ['nothing', () => null],
    [
      'an error',
      () => {
        throw new Error('too slow');
      },
    ],
  ])(
    'a timeoutEarlyResponse that says %s is not the handler’s word: it still runs',
    async (_, timeoutEarlyResponse) => {
      const w = world();
      const handler = middy(() => new Promise(() => {}), { timeoutEarlyResponse } as never).use(
        idempotentConsumer(w.options()),
      ) as unknown as (event: object, context: object) => Promise<SqsBatchResponse>;
      const answer = handler({ Records: [record('m1')] }, w.clock.context(1_200)).then(failedIds, String);
      await passTogether(w, 1_300);
      expect([['m1'], 'Error: too slow']).toContainEqual(await answer);
      expect(w.row('m1')).toMatchObject({ status: 'leased', attempts: 1 });
    },
  );
});
