// Webhooks: a retry with the same key gets the answer the first request got, whatever brought either of them.
import { describe, expect, it } from 'vitest';
import { type Asked, eventKinds } from './support/http-events.ts';
import { keyed, receiver, receiverFaces, requestRow } from './support/receiver-rig.ts';
import { world } from './support/rig.ts';
import { unprintable } from './support/unprintable.ts';

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };

const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const full = {
  statusCode: 201,
  headers: { Location: '/orders/1', 'Content-Type': 'application/octet-stream' },
  multiValueHeaders: { Link: ['<a>', '<b>'] },
  cookies: ['a=1; Path=/', 'b=2'],
  body: bytes,
};

describe.each(receiverFaces.flatMap((face) => eventKinds.map((kind) => [face, kind] as const)))(
  'through %s behind a %s',
  (face, kind) => {
    it('a retry gets status, headers, cookies and bytes as first given, marked as a replay', async () => {
      const w = world();
      let runs = 0;
      const ask = receiver(
        w,
        () => {
          runs += 1;
          return full;
        },
        { face, kind },
      );
      const first = await ask(create);
      expect(first).toMatchObject({
        status: 201,
        headers: { location: '/orders/1', link: '<a>, <b>' },
        cookies: ['a=1; Path=/', 'b=2'],
        body: Buffer.from(bytes),
      });
      expect(first.headers).not.toHaveProperty('idempotency-replayed');

      for (const again of [
        create,
        { ...create, headers: [['Idempotency-Key', `"${unprintable('k1')}"`] as const], base64: true },
      ]) {
        const { headers, ...rest } = await ask(again);
        expect({ ...rest, headers }).toEqual({
          ...first,
          headers: { ...first.headers, 'idempotency-replayed': 'true' },
        });
      }
      expect(runs).toBe(1);
      expect(w.seen.of('duplicate')).toHaveLength(2);
    });

    it('a retry while the first still runs is told when to come back, and never run', async () => {
      const w = world();
      let runs = 0;
      const ask = receiver(
        w,
        async () => {
          runs += 1;
          await w.clock.wait(10_000);
          return { statusCode: 201 };
        },
        { face, kind },
      );
      const first = ask(create, w.clock.context(30_000));
      await w.clock.pass(4_000);
      const early = await ask(create, w.clock.context(30_000));
      // What the first had left, 30 s, and a second; then the skew.
      expect(early).toMatchObject({ status: 409, headers: { 'retry-after': String(30 + 1 + 1 - 4) } });
      expect(early.json).toMatchObject({ type: expect.stringMatching(/#in-flight$/), status: 409 });
      expect((await w.clock.until(first)).status).toBe(201);
      expect((await ask(create)).headers['idempotency-replayed']).toBe('true');
      expect(runs).toBe(1);
    });

    it('a handler that throws is thrown on, and the retry runs and knows of it', async () => {
      const w = world();
      const seen: unknown[] = [];
      const ask = receiver(
        w,
        (_, attempt) => {
          seen.push([attempt.number, attempt.isLast, attempt.previousAttempt?.error, attempt.effectKey('e')]);
          if (attempt.number < 8) throw new Error('no luck');
          return { statusCode: 200 };
        },
        { face, kind },
      );
      for (let turn = 1; turn < 8; turn += 1) await expect(ask(create)).rejects.toThrow('no luck');
      expect((await ask(create)).status).toBe(200);
      expect(seen).toHaveLength(8);
      expect(seen.at(-1)).toEqual([8, false, 'Error: no luck', (seen[0] as unknown[])[3]]);
    });

    it('a request without a key is refused before anything is claimed', async () => {
      const w = world();
      const ask = receiver(w, neverRuns, { face, kind });
      const answer = await ask({ body: create.body ?? '' });
      expect(answer).toMatchObject({
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
        json: { type: expect.stringMatching(/#key-missing$/), title: expect.any(String), status: 400 },
      });
      expect((await ask(keyed('two words'))).json).toMatchObject({
        type: expect.stringMatching(/#key-malformed$/),
      });
      expect(w.rows()).toEqual([]);
    });

    it.each<[string, Asked]>([
      ['body', { body: '{"sku":"pot"}' }],
      ['method', { method: 'PATCH' }],
      ['resource', { path: '/orders/2' }],
      ['query', { query: 'x=2' }],
    ])('a key that was used with another %s is refused and runs nothing', async (_, other) => {
      const w = world();
      let runs = 0;
      const ask = receiver(
        w,
        () => {
          runs += 1;
        },
        { face, kind },
      );
      expect((await ask({ ...create, query: 'x=1' })).status).toBe(204);
      const before = w.rows();
      const refused = await ask({ ...create, query: 'x=1', ...other });
      expect(refused).toMatchObject({ status: 422, json: { type: expect.stringMatching(/#key-reused$/) } });
      expect(runs).toBe(1);
      expect(w.rows()).toEqual(before);
      expect(w.seen.of('key-reused')).toHaveLength(1);
    });

    it('one caller never meets the keys or answers of another', async () => {
      const w = world();
      const ask = receiver(w, ({ headers }) => ({ statusCode: 200, body: `for ${headers['x-tenant']}` }), {
        face,
        kind,
        caller: ({ request }) => request.headers['x-tenant'],
      });
      const as = (tenant: string) =>
        ask({ ...create, headers: [...(create.headers ?? []), ['X-Tenant', tenant]] });
      expect((await as('ann')).body.toString()).toBe('for ann');
      expect((await as('bob')).body.toString()).toBe('for bob');
      expect((await as('ann')).headers['idempotency-replayed']).toBe('true');
      expect(w.rows()).toHaveLength(2);
      expect(requestRow(w, 'k1', 'ann')?.status).toBe('completed');

      expect(await ask(create)).toMatchObject({
        status: 403,
        json: { type: expect.stringMatching(/#caller-unknown$/) },
      });
      expect((await as('  ')).status).toBe(403);
      expect(w.rows()).toHaveLength(2);
    });

    it('a method that is not guarded passes through untouched', async () => {
      const w = world();
      const ask = receiver(
        w,
        (request, attempt) => {
          expect(request.key).toBeUndefined();
          expect(attempt.signal.aborted).toBe(false);
          return { statusCode: 200, body: `${request.method} ${request.path}` };
        },
        { face, kind },
      );
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect((await ask({ ...create, method })).body.toString()).toBe(`${method} /orders`);
        expect((await ask({ ...create, method })).headers).not.toHaveProperty('idempotency-replayed');
      }
      expect(w.rows()).toEqual([]);
    });
  },
);

function neverRuns(): never {
  throw new Error('user code ran');
}

it('a retry may come through another door than the first', async () => {
  const w = world();
  for (const first of eventKinds) {
    const key = keyed(first.replace(/\W/g, '-'));
    const told = await receiver(w, () => full, { kind: first })({ ...create, ...key });
    for (const kind of eventKinds) {
      const again = await receiver(w, neverRuns, { kind })({ ...create, ...key });
      expect(again).toEqual({ ...told, headers: { ...told.headers, 'idempotency-replayed': 'true' } });
    }
  }
});
