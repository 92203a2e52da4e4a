// The receiver as a middleware before its own handler and behind a signature check, under Middy 6 and 7.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idempotentReceiver } from '../lib/receiver.ts';
import { type Asked, eventOf, toldBy } from './support/http-events.ts';
import { keyed, receiverOptions } from './support/receiver-rig.ts';
import { middys, type World, world } from './support/rig.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

describe.each(middys)('used twice, under %s', (_, middy) => {
  it.each(['eachRequest', 'whole request'] as const)(
    'it is refused and records nothing, with %s',
    async (kind) => {
      const w = world();
      const receiver = idempotentReceiver(receiverOptions(w));
      const done = () => ({ statusCode: 201 });
      const handler = middy((kind === 'eachRequest' ? receiver.eachRequest(done) : done) as never);
      for (const each of [receiver, receiver]) handler.use(each as never);
      const answer = handler(eventOf('function URL', create) as never, {} as never) as Promise<unknown>;
      await expect(answer).rejects.toThrow('used twice for one handler');
      expect(w.rows().filter(({ status }) => status === 'completed')).toEqual([]);
    },
  );
});

describe.each(middys)('behind a signature check, %s', (_, middy) => {
  const secret = 'shared';
  const sign = (body: string) => createHmac('sha256', secret).update(body).digest('hex');
  const signed = (body: string, signature = sign(body)): Asked => ({
    body,
    headers: [
      ['Idempotency-Key', 'k1'],
      ['X-Signature', signature],
    ],
  });

  function guarded(w: World, run: () => void) {
    const receiver = idempotentReceiver(receiverOptions(w));
    const handler = middy()
      .use({
        before({ event }: { event: unknown }) {
          const { body, headers } = event as { body: string; headers: Record<string, string> };
          const given = Buffer.from(headers['x-signature'] ?? '');
          const wanted = Buffer.from(sign(body));
          if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return { statusCode: 401 };
          return undefined;
        },
      })
      .use(receiver)
      .handler(
        receiver.eachRequest(() => {
          run();
          return { statusCode: 200, body: 'secret answer' };
        }) as never,
      );
    return async (asked: Asked) =>
      handler(eventOf('function URL', asked) as never, {} as never) as Promise<{
        statusCode: number;
        body?: string;
      }>;
  }

  it('a forger neither uses up keys nor learns of answers', async () => {
    const w = world();
    let runs = 0;
    const ask = guarded(w, () => {
      runs += 1;
    });
    expect((await ask(signed('{}', 'forged'))).statusCode).toBe(401);
    expect(w.rows()).toEqual([]);
    expect(w.seen.events).toEqual([]);

    expect((await ask(signed('{}'))).statusCode).toBe(200);
    expect(await ask(signed('{}', 'forged'))).toEqual({ statusCode: 401 });
    expect((await ask(signed('{}'))).body).toBe('secret answer');
    expect(runs).toBe(1);
  });
});

describe.each(middys)('eachRequest, %s', (_, middy) => {
  const event = () => eventOf('function URL', create) as never;

  it('without its middleware fails before any user code', async () => {
    const w = world();
    const receiver = idempotentReceiver(receiverOptions(w));
    const lambda = receiver.eachRequest(() => {
      throw new Error('user code ran');
    });
    await expect(lambda(event())).rejects.toThrow('eachRequest ran without its middleware');
    await expect(lambda(event())).rejects.toMatchObject({ name: 'ConfigurationError' });
    const other = idempotentReceiver(receiverOptions(w));
    other.eachRequest(() => undefined);
    await expect(
      middy()
        .use(other)
        .handler(lambda as never)(event(), {} as never),
    ).rejects.toThrow('without its middleware');
  });

  it('keeps the request from another handler under its middleware', async () => {
    const w = world();
    const receiver = idempotentReceiver(receiverOptions(w));
    receiver.eachRequest(() => undefined);
    let seen: unknown;
    const handler = middy()
      .use(receiver)
      .handler(((given: { body?: unknown }) => {
        seen = given.body;
        return { statusCode: 200 };
      }) as never);
    await expect(handler(event(), {} as never)).rejects.toThrow('something else answered in its place');
    expect(seen).toBeUndefined();
    expect(w.rows()).toEqual([]);
  });

  it('gives the event back to the middlewares around it, also after a failure', async () => {
    const w = world();
    const seen: unknown[] = [];
    const watch = ({ event: given }: { event: unknown }) => {
      seen.push((given as { body?: unknown }).body);
    };
    const build = (run: () => never | undefined) => {
      const own = idempotentReceiver(receiverOptions(w));
      return middy()
        .use({ after: watch, onError: watch })
        .use(own)
        .handler(own.eachRequest(run) as never);
    };
    await build(() => undefined)(event(), {} as never);
    await expect(
      build(() => {
        throw new Error('no');
      })(eventOf('function URL', { ...create, ...keyed('k2') }) as never, {} as never),
    ).rejects.toThrow('no');
    expect(seen).toEqual([create.body, create.body]);
  });

  it('lets the middlewares around it see a replay as they saw the first answer', async () => {
    const w = world();
    const own = idempotentReceiver(receiverOptions(w));
    const handler = middy()
      .use({
        after({ response }: { response: unknown }) {
          Object.assign((response as { headers: object }).headers, { 'access-control-allow-origin': '*' });
        },
      })
      .use(own)
      .handler(own.eachRequest(() => ({ statusCode: 200 })) as never);
    for (const replayed of [undefined, 'true']) {
      const told = toldBy('function URL', await handler(event(), {} as never));
      expect(told.headers['access-control-allow-origin']).toBe('*');
      expect(told.headers['idempotency-replayed']).toBe(replayed);
    }
  });

  it('takes no handler that is none', () => {
    const receiver = idempotentReceiver(receiverOptions(world()));
    expect(() => receiver.eachRequest(undefined as never)).toThrow('eachRequest was given undefined');
  });

  it('refuses an event that is no request', async () => {
    const w = world();
    const receiver = idempotentReceiver(receiverOptions(w));
    const handler = middy()
      .use(receiver)
      .handler(receiver.eachRequest(() => undefined) as never);
    await expect(handler({ Records: [] } as never, {} as never)).rejects.toMatchObject({
      name: 'ConfigurationError',
    });
  });
});
