// The receiver as a middleware around a handler that knows nothing of it, under Middy 6 and 7.
import { describe, expect, it } from 'vitest';
import { idempotentReceiver } from '../lib/receiver.ts';
import { type Asked, eventKinds, eventOf, type Kind, toldBy } from './support/http-events.ts';
import { around, keyed, receiverOptions, requestRow } from './support/receiver-rig.ts';
import { middys, world } from './support/rig.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

/** What a handler of that kind of event answers, in that kind's own words. */
function native(kind: Kind, sku = 'cup') {
  const body = Buffer.from(sku).toString('base64');
  const common = { statusCode: 201, body, isBase64Encoded: true };
  switch (kind) {
    case 'HTTP API, payload 2.0':
    case 'function URL':
      return { ...common, headers: { location: '/1' }, cookies: ['a=1', 'b=2'] };
    case 'load balancer':
      return {
        ...common,
        statusDescription: '201 Created',
        headers: { location: '/1', 'set-cookie': 'a=1', 'Set-Cookie': 'b=2' },
      };
    case 'load balancer, multi-value':
      return {
        ...common,
        statusDescription: '201 Created',
        multiValueHeaders: { location: ['/1'], 'set-cookie': ['a=1', 'b=2'] },
      };
    default:
      return { ...common, headers: { location: '/1' }, multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } };
  }
}

describe.each(middys.flatMap(([name, middy]) => eventKinds.map((kind) => [name, kind, middy] as const)))(
  'around an existing handler, %s, %s',
  (_, kind, middy) => {
    it('its whole response is given as it is and replayed as it was', async () => {
      const w = world();
      let runs = 0;
      let given: unknown;
      const options = receiverOptions(w);
      const handler = middy((() => {
        runs += 1;
        given = native(kind);
        return given;
      }) as never).use(idempotentReceiver(options));
      const event = () => eventOf(kind, create) as never;
      const first = await handler(event(), {} as never);
      expect(first).toBe(given);
      const again = toldBy(kind, await handler(event(), {} as never));
      const told = toldBy(kind, first);
      expect(told).toMatchObject({ status: 201, cookies: ['a=1', 'b=2'] });
      expect(again).toEqual({ ...told, headers: { ...told.headers, 'idempotency-replayed': 'true' } });
      expect(runs).toBe(1);
    });

    it('a handler that throws is thrown on, its claim is free and the retry runs', async () => {
      const w = world();
      let runs = 0;
      const ask = around(
        middy,
        w,
        () => {
          runs += 1;
          if (runs === 1) throw new Error('no luck');
          return native(kind);
        },
        { kind },
      );
      await expect(ask(create)).rejects.toThrow('no luck');
      expect(requestRow(w, 'k1')).toMatchObject({ status: 'released', attempts: 1 });
      expect((await ask(create)).status).toBe(201);
      expect(runs).toBe(2);
    });
  },
);

describe.each(middys)('around an existing handler, %s', (_, middy) => {
  /** The handler inside all of the middlewares, the first of them outermost. */
  function stack(handler: () => unknown, ...middlewares: object[]): (context?: unknown) => Promise<unknown> {
    const stacked = middy(handler as never);
    for (const middleware of middlewares) stacked.use(middleware as never);
    return (context = {}) =>
      stacked(eventOf('function URL', create) as never, context as never) as Promise<unknown>;
  }

  it('a request that is refused, still running or not guarded is answered as ever', async () => {
    const w = world();
    const ask = around(middy, w, async () => {
      await w.clock.wait(1_000);
      return { statusCode: 200 };
    });
    expect((await ask({})).status).toBe(400);
    const first = ask(create, w.clock.context(10_000));
    await w.clock.pass(500);
    expect((await ask(create, w.clock.context(10_000))).status).toBe(409);
    expect((await w.clock.until(first)).status).toBe(200);
    expect((await ask({ ...create, body: 'other' })).status).toBe(422);
    expect((await w.clock.until(ask({ method: 'GET' }))).headers).toEqual({});
    expect(w.rows()).toHaveLength(1);
  });

  it('an answer that is not recorded leaves the claim free', async () => {
    const w = world();
    const ask = around(middy, w, () => ({ statusCode: 503 }));
    expect((await ask(create)).status).toBe(503);
    expect(requestRow(w, 'k1')?.status).toBe('released');
  });

  it('a value without a status is replayed as what API Gateway made of it', async () => {
    const w = world();
    const options = receiverOptions(w);
    const handler = middy((() => ({ id: 7 })) as never).use(idempotentReceiver(options));
    const event = () => eventOf('function URL', create) as never;
    expect(await handler(event(), {} as never)).toEqual({ id: 7 });
    expect(toldBy('function URL', await handler(event(), {} as never))).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'idempotency-replayed': 'true' },
      json: { id: 7 },
    });
  });

  it('an outcome that is fenced out is not answered as if it were one', async () => {
    const w = world();
    const ask = around(middy, w, async () => {
      w.clock.jump({ wall: 100_000 });
      const other = await around(middy, w, () => ({ statusCode: 200, body: 'other' }))(create);
      expect(other.status).toBe(200);
      return { statusCode: 200, body: 'mine' };
    });
    expect((await ask(create, w.clock.context(10_000))).status).toBe(409);
    expect((await ask(create)).body.toString()).toBe('other');
  });

  it('what comes after an answer does not undo it: a middleware outside ours that throws', async () => {
    const w = world();
    let runs = 0;
    const handler = middy((() => {
      runs += 1;
      return { statusCode: 200 };
    }) as never)
      .use({
        after() {
          throw new Error('outside');
        },
      })
      .use(idempotentReceiver(receiverOptions(w)));
    const event = () => eventOf('function URL', create) as never;
    await expect(handler(event(), {} as never)).rejects.toThrow('outside');
    expect(requestRow(w, 'k1')?.status).toBe('completed');
    await handler(event(), {} as never).catch(() => undefined);
    expect(runs).toBe(1);
  });

  describe('what a middleware behind ours answers is the answer of the handler', () => {
    const early = { statusCode: 200, body: 'early' };
    const failing = () => {
      throw new Error('no luck');
    };
    it.each([
      ['before it', 0, { before: () => early }, undefined],
      ['after it', 1, { after: () => early }, undefined],
      ['in the place of its error', 1, { onError: () => early }, failing],
      [
        'on its error, without ending the others',
        1,
        {
          onError(request: { response: unknown }) {
            request.response = early;
          },
        },
        failing,
      ],
    ])('%s', async (_, expectedRuns, behind, fail) => {
      const w = world();
      let runs = 0;
      const run = () => {
        runs += 1;
        return fail?.() ?? { statusCode: 201 };
      };
      const ask = stack(run, idempotentReceiver(receiverOptions(w)), behind);
      expect(await ask()).toEqual(early);
      expect(requestRow(w, 'k1')?.status).toBe('completed');
      expect(w.clock.timers).toBe(0);
      expect(await ask()).toMatchObject({ ...early, headers: { 'idempotency-replayed': 'true' } });
      expect(runs).toBe(expectedRuns);
    });

    it('and one that is not recorded leaves the claim free', async () => {
      const w = world();
      const refusing = { before: () => ({ statusCode: 401 }) };
      const ask = stack(() => ({ statusCode: 201 }), idempotentReceiver(receiverOptions(w)), refusing);
      expect(await ask()).toEqual({ statusCode: 401 });
      expect(requestRow(w, 'k1')?.status).toBe('released');
    });
  });

  it('a middleware around ours may still change the answer', async () => {
    const adding = {
      after(request: { response: unknown }) {
        request.response = { ...(request.response as object), headers: { 'x-around': '1' } };
      },
    };
    const ask = stack(() => ({ statusCode: 201 }), adding, idempotentReceiver(receiverOptions(world())));
    expect(await ask()).toEqual({ statusCode: 201, headers: { 'x-around': '1' } });
  });

  it('our answer has the form of the event as it came, whatever a middleware behind ours made of it', async () => {
    const w = world();
    const overtaking = {
      async before(request: { event: unknown }) {
        request.event = { sku: 'cup' };
        w.clock.jump({ wall: 100_000 });
        await around(middy, w, () => ({ statusCode: 200 }))(create);
      },
    };
    const ask = stack(() => ({ statusCode: 200 }), idempotentReceiver(receiverOptions(w)), overtaking);
    expect(await ask(w.clock.context(10_000))).toMatchObject({ statusCode: 409 });
  });

  it.each([
    [408, 'leased'],
    [201, 'completed'],
  ])(
    '%i once the time is up leaves the claim %s, since the handler may still run',
    async (statusCode, status) => {
      const w = world();
      const ask = around(middy, w, async () => {
        await w.clock.wait(1_850);
        return { statusCode };
      });
      expect((await w.clock.until(ask(create, w.clock.context(2_000)))).status).toBe(409);
      await w.clock.pass(10);
      expect(requestRow(w, 'k1')?.status).toBe(status);
    },
  );

  it('a handler that throws a timeout of its own has failed, and its claim is free', async () => {
    const w = world();
    const error = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    const ask = around(middy, w, () => Promise.reject(error));
    await expect(ask(create)).rejects.toBe(error);
    expect(requestRow(w, 'k1')).toMatchObject({ status: 'released', attempts: 1 });
  });

  it("Middy's own timeout leaves the claim with the handler that still runs", async () => {
    const w = world();
    const later = { getRemainingTimeInMillis: () => 1_100 } as never;
    const short = middy((() => new Promise(() => {})) as never, { timeoutEarlyInMillis: 1_050 }).use(
      idempotentReceiver(receiverOptions(w)),
    );
    await expect(short(eventOf('function URL', create) as never, later)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(requestRow(w, 'k1')?.status).toBe('leased');
    const again = around(middy, w, () => ({ statusCode: 200 }));
    expect((await again(create)).status).toBe(409);
  });
});
