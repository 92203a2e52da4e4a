// The receiver as a listener of `node:http`: a real server, real connections.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { receiveHttp } from '../lib/receiver.ts';
import type { HttpReceiverOptions, RequestHandler } from '../lib/receiver-options.ts';
import { type Asked, serve, type TestServer } from './support/http-events.ts';
import { keyed, receiverOptions, requestRow } from './support/receiver-rig.ts';
import { type World, world } from './support/rig.ts';
import { unprintable } from './support/unprintable.ts';

let w: World;
let server: TestServer | undefined;

beforeEach(() => {
  w = world();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server?.stop();
  server = undefined;
});

async function shop(handler: RequestHandler<never>, more: Partial<HttpReceiverOptions<never>> = {}) {
  const { maxBodyBytes, ...options } = more;
  server = await serve(
    receiveHttp(
      {
        ...receiverOptions(w, options as never),
        ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
      } as HttpReceiverOptions<never>,
      handler,
    ),
  );
  return server.ask;
}

const create: Asked = { ...keyed('k1'), body: '{"sku":"never-print-cup"}' };
const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe('a request over a connection', () => {
  it('has method, path, query, headers, cookies and bytes', async () => {
    const ask = await shop((request) => {
      const { method, path, query, headers, key } = request;
      return {
        statusCode: 200,
        body: { method, path, query, key, cookie: headers.cookie, size: request.bytes.length },
      };
    });
    const asked = { ...create, path: '/a%20b/1', query: 'x=1&x=2', cookies: ['a=1', 'b=2'], body: bytes };
    expect((await ask(asked)).json).toEqual({
      method: 'POST',
      path: '/a%20b/1',
      query: 'x=1&x=2',
      key: unprintable('k1'),
      cookie: 'a=1; b=2',
      size: 256,
    });
  });

  it('gets status, headers, cookies and bytes, and a retry gets them again', async () => {
    let runs = 0;
    const ask = await shop(() => {
      runs += 1;
      return {
        statusCode: 201,
        headers: { Location: '/1' },
        multiValueHeaders: { Link: ['<a>', '<b>'] },
        cookies: ['a=1', 'b=2'],
        body: bytes,
      };
    });
    const first = await ask(create);
    expect(first).toMatchObject({
      status: 201,
      headers: { location: '/1', link: '<a>, <b>' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from(bytes),
    });
    expect(await ask(create)).toEqual({
      ...first,
      headers: { ...first.headers, 'idempotency-replayed': 'true' },
    });
    expect(runs).toBe(1);
  });

  it.each<[string, Asked, number]>([
    ['without a key', { body: '{}' }, 400],
    [
      'with two keys',
      {
        headers: [
          ['Idempotency-Key', 'a'],
          ['Idempotency-Key', 'b'],
        ],
      },
      400,
    ],
    [
      'with the same key in two headers',
      {
        headers: [
          ['Idempotency-Key', 'a'],
          ['idempotency-key', '"a"'],
        ],
      },
      204,
    ],
    ['to read', { method: 'GET' }, 204],
    ['with nothing to send back', keyed('k9'), 204],
  ])('%s is answered %#', async (_, asked, status) => {
    const ask = await shop(() => undefined);
    expect((await ask(asked)).status).toBe(status);
  });

  it('that names the whole address is the same request', async () => {
    const ask = await shop(({ path }) => ({ statusCode: 200, body: path }));
    await ask({ ...create, path: '/orders' });
    const again = await ask({ ...create, path: 'http://shop.example/orders' });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
  });

  it('whose handler throws is answered 500 with nothing of the error, which goes to the console', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    const ask = await shop((_, attempt) => {
      if (attempt.number === 1) throw new Error('secret');
      return { statusCode: 200 };
    });
    const answer = await ask(create);
    expect(answer).toMatchObject({ status: 500, headers: { 'content-type': 'application/problem+json' } });
    expect(answer.body.toString()).not.toContain('secret');
    expect(said).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: 'secret' }));
    expect((await ask(create)).status).toBe(200);
  });

  it('whose answer has a header that cannot be sent is answered 500, and the work stays done', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    let runs = 0;
    const ask = await shop(() => {
      runs += 1;
      return { statusCode: 200, headers: { 'X-Fine': '1', 'X-Odd': 'a\nb' } };
    });
    expect((await ask(create)).headers).not.toHaveProperty('x-fine');
    expect((await ask(create)).status).toBe(500);
    expect(runs).toBe(1);
    expect(requestRow(w, 'k1')?.status).toBe('completed');
  });
});

describe('a body', () => {
  it('that is larger than it may be is refused, announced or not, and nothing runs', async () => {
    const ask = await shop(
      () => {
        throw new Error('user code ran');
      },
      { maxBodyBytes: 1_000 },
    );
    expect(await ask({ ...create, body: 'x'.repeat(1_001) })).toMatchObject({
      status: 413,
      json: { type: expect.stringMatching(/#body-too-large$/) },
    });
    const chunked = await raw(
      server as TestServer,
      `POST / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(w.rows()).toEqual([]);
  });

  it('of just that size is read', async () => {
    const ask = await shop(({ bytes: read }) => ({ statusCode: 200, body: String(read.length) }), {
      maxBodyBytes: 1_000,
    });
    expect((await ask({ ...create, body: 'x'.repeat(1_000) })).body.toString()).toBe('1000');
  });

  it('may have a mebibyte where nothing else is said', async () => {
    const ask = await shop(() => undefined);
    expect((await ask({ ...keyed('a'), body: 'x'.repeat(1_048_576) })).status).toBe(204);
    expect((await ask({ ...keyed('b'), body: 'x'.repeat(1_048_577) })).status).toBe(413);
  });

  it('whose sender hangs up half-way is no request', async () => {
    await shop(() => {
      throw new Error('user code ran');
    });
    const socket = connect((server as TestServer).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 10\r\n\r\nabc');
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await once(socket, 'close');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(w.seen.events).toEqual([]);
  });

  it.each([
    ['half-way', 'Content-Length: 10\r\n\r\nabc'],
    ['with all of it there', 'Content-Length: 3\r\n\r\nabc'],
  ])('whose sender hung up %s before the receiver was called is no request', async (_, rest) => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    const listener = receiveHttp(receiverOptions(w), () => {
      throw new Error('user code ran');
    });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    server = await serve(async (request, response) => {
      await once(response, 'close');
      await listener(request, response);
      resolve();
    });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\n${rest}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await settled;
    expect(w.seen.events).toEqual([]);
    expect(said).not.toHaveBeenCalled();
  });

  it('that somebody has read already is a mistake that is told', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    const listener = receiveHttp(receiverOptions(w), () => undefined);
    server = await serve(async (request, response) => {
      for await (const _ of request);
      await listener(request, response);
    });
    expect((await server.ask(create)).status).toBe(500);
    expect(said.mock.calls[0]?.[0]).toMatchObject({ name: 'ConfigurationError' });
  });
});

it('a sender that hangs up while its request runs gets the answer at its retry', async () => {
  let runs = 0;
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  const ask = await shop(async () => {
    runs += 1;
    await finish;
    return { statusCode: 201, body: 'done' };
  });
  const socket = connect((server as TestServer).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /orders HTTP/1.1\r\nHost: a\r\nIdempotency-Key: ${unprintable('k1')}\r\nContent-Length: 2\r\n\r\n{}`,
  );
  await expect.poll(() => runs).toBe(1);
  socket.destroy();
  await once(socket, 'close');
  expect((await ask({ ...create, body: '{}' })).status).toBe(409);
  resolve();
  await expect.poll(() => requestRow(w, 'k1')?.status).toBe('completed');
  expect((await ask({ ...create, body: '{}' })).body.toString()).toBe('done');
  expect(runs).toBe(1);
});

it('a header that cannot be sent is said to be one, to the first caller and to a retry', async () => {
  let runs = 0;
  const ask = await shop(() => {
    runs += 1;
    return { statusCode: 201, headers: { 'x-name': 'é中' } };
  });
  const first = await ask(create);
  expect(first).toMatchObject({ status: 500, json: { type: expect.stringMatching(/#answer-unusable$/) } });
  expect((await ask(create)).json).toEqual(first.json);
  expect(runs).toBe(1);
});

it('a framework that mounts the listener under a path does not shorten the path', async () => {
  const listener = receiveHttp(receiverOptions(w), ({ path }) => ({ statusCode: 200, body: path }));
  server = await serve((request, response) => {
    Object.assign(request, { originalUrl: request.url, url: '/mounted' });
    return listener(request, response);
  });
  expect((await server.ask({ ...create, path: '/api/orders' })).body.toString()).toBe('/api/orders');
});

async function raw({ port }: TestServer, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}
