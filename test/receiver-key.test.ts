// Where a request's key comes from, and what is none.
import { describe, expect, it } from 'vitest';
import type { Asked } from './support/http-events.ts';
import { keyed, receiver } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';
import { unprintable } from './support/unprintable.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

describe('the key', () => {
  it("may be an id of the sender's own, in the body or in a header", async () => {
    const w = world();
    const inBody = receiver(w, ({ key }) => ({ statusCode: 200, body: String(key) }), {
      scope: 'body',
      key: ({ body }) => (body as { eventId: string }).eventId,
    });
    expect((await inBody({ body: '{"eventId":"e7"}' })).body.toString()).toBe('e7');
    expect((await inBody({ body: '{"eventId":"e7"}' })).headers['idempotency-replayed']).toBe('true');

    const inHeader = receiver(w, ({ key }) => ({ statusCode: 200, body: String(key) }), {
      scope: 'header',
      key: ({ request }) => request.headers['x-event-id'] ?? '',
    });
    expect((await inHeader({ headers: [['X-Event-Id', '7']] })).body.toString()).toBe('7');
    expect((await inHeader({})).json).toMatchObject({ type: expect.stringMatching(/#key-malformed$/) });
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'key-missing'],
    ['null', null, 'key-missing'],
    ['a blank', '  ', 'key-malformed'],
    ['NaN', Number.NaN, 'key-malformed'],
    ['an object', {}, 'key-malformed'],
    ['a list', [undefined, 'x'], 'key-malformed'],
  ])('that comes out as %s is none, and nothing is claimed', async (_, key, type) => {
    const w = world();
    const ask = receiver(w, neverRuns, { key: () => key as string });
    expect(await ask(create)).toMatchObject({
      status: 400,
      json: { type: expect.stringContaining(`#${type}`) },
    });
    expect(w.rows()).toEqual([]);
  });

  it('whose function throws is none, and nothing of the error is told', async () => {
    const w = world();
    const ask = receiver(w, neverRuns, {
      key: () => {
        throw new Error('secret');
      },
    });
    const answer = await ask(create);
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).not.toContain('secret');
    expect(w.rows()).toEqual([]);
  });

  it('may be missing where that is said on purpose: then the request runs unguarded, every time', async () => {
    const w = world();
    let runs = 0;
    const ask = receiver(
      w,
      ({ key }) => {
        runs += 1;
        return { statusCode: 200, body: String(key) };
      },
      { requireKey: false },
    );
    expect((await ask({ body: '{}' })).body.toString()).toBe('undefined');
    await ask({ body: '{}' });
    expect((await ask(create)).body.toString()).toBe(unprintable('k1'));
    expect((await ask(create)).headers['idempotency-replayed']).toBe('true');
    expect((await ask(keyed('two words'))).status).toBe(400);
    expect(runs).toBe(3);
  });

  it('stands for the same request though the sender changes what is named volatile', async () => {
    const w = world();
    const ask = receiver(w, () => undefined, { volatile: ['/attempt'], key: () => 'e1' });
    await ask({ body: '{"attempt":1,"parcel":"p1"}' });
    expect((await ask({ body: '{"parcel":"p1","attempt":2}' })).headers['idempotency-replayed']).toBe('true');
    expect((await ask({ body: '{"parcel":"p2","attempt":2}' })).status).toBe(422);
  });

  it('guards the methods that are named', async () => {
    const w = world();
    const ask = receiver(w, () => undefined, { methods: ['put'] });
    await ask({ ...create, method: 'PUT' });
    expect((await ask({ ...create, method: 'PUT' })).headers['idempotency-replayed']).toBe('true');
    await ask({ ...create, method: 'POST' });
    expect(w.rows()).toHaveLength(1);
  });
});

function neverRuns(): never {
  throw new Error('user code ran');
}
