// One request is one request, whatever brings it: method, path, query, headers and the very bytes.
import { describe, expect, it } from 'vitest';
import { requestFromEvent } from '../../lib/arrive/http-event.ts';
import { requestFingerprint } from '../../lib/arrive/http-fingerprint.ts';
import { headerKey } from '../../lib/arrive/http-key.ts';
import { type Asked, eventKinds, eventOf, type Kind } from '../support/http-events.ts';

const read = (kind: Kind, asked: Asked) => requestFromEvent(eventOf(kind, asked)).request;

const asked: Asked = {
  method: 'PATCH',
  path: '/orders/A-17/items',
  query: 'view=full&note=a%20b',
  headers: [
    ['Content-Type', 'application/json'],
    ['Idempotency-Key', '"8e03"'],
    ['X-Signature', 't=1'],
  ],
  cookies: ['session=s'],
  body: '{"sku":"cup","größe":"L"}',
};

it('half a surrogate pair in a decoded query does not keep a request from being read', () => {
  const event = eventOf('REST API', asked) as object;
  const odd = { ...event, multiValueQueryStringParameters: { note: ['a\ud800'] } };
  expect(new URLSearchParams(requestFromEvent(odd).request.query).get('note')).toBe('a\ufffd');
});

describe.each(eventKinds)('a request through a %s', (kind) => {
  it('has its method, path, headers and cookies', () => {
    const request = read(kind, asked);
    expect(request.method).toBe('PATCH');
    expect(request.path).toBe('/orders/A-17/items');
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-signature': 't=1',
      cookie: 'session=s',
    });
    expect(headerKey(request.headers)).toEqual({ status: 'key', key: '8e03' });
  });

  it('has its query, ready to be read', () => {
    const parameters = new URLSearchParams(read(kind, asked).query);
    expect([...parameters]).toEqual([
      ['view', 'full'],
      ['note', 'a b'],
    ]);
    expect(read(kind, {}).query).toBe('');
  });

  it('has its bytes, base64 or not', () => {
    const text = Buffer.from(String(asked.body));
    expect(Buffer.from(read(kind, asked).bytes)).toEqual(text);
    expect(Buffer.from(read(kind, { ...asked, base64: true }).bytes)).toEqual(text);
    const binary = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(Buffer.from(read(kind, { ...asked, body: binary }).bytes)).toEqual(Buffer.from(binary));
    expect(read(kind, { ...asked, body: undefined as never }).bytes).toHaveLength(0);
  });

  it('has the fingerprint it has through every other', () => {
    const one = requestFingerprint(read('function URL', asked));
    expect(requestFingerprint(read(kind, asked))).toBe(one);
    expect(requestFingerprint(read(kind, { ...asked, base64: true }))).toBe(one);
  });

  it('hands over the event it came in', () => {
    const event = eventOf(kind, asked);
    expect(requestFromEvent(event).request.original).toBe(event);
  });

  it('refuses a body that somebody has parsed', () => {
    expect(() => requestFromEvent({ ...eventOf(kind, asked), body: { sku: 'cup' } })).toThrow(
      'is of type object, not text',
    );
  });
});

describe('the stage of an API', () => {
  it.each(eventKinds.filter((kind) => !kind.startsWith('load')))('is no part of the path: %s', (kind) => {
    expect(read(kind, { path: '/a/1', stage: 'prod' }).path).toBe('/a/1');
    expect(read(kind, { path: '/', stage: 'prod' }).path).toBe('/');
    expect(read(kind, { path: '/production/1', stage: 'prod' }).path).toBe('/production/1');
    expect(read(kind, { path: '/prod/1' }).path).toBe('/prod/1');
  });

  it('is missing behind a domain of your own, and the request is the same', () => {
    const behindDomain = eventOf('HTTP API, payload 2.0', { path: '/a/1' });
    const context = { ...(behindDomain.requestContext as object), stage: 'prod' };
    expect(requestFromEvent({ ...behindDomain, requestContext: context }).request.path).toBe('/a/1');
  });
});

describe('a header given twice', () => {
  it.each(eventKinds.filter((kind) => kind !== 'load balancer'))('is seen twice: %s', (kind) => {
    const twice: Asked = {
      headers: [
        ['Idempotency-Key', 'a'],
        ['idempotency-key', 'b'],
      ],
    };
    expect(headerKey(read(kind, twice).headers).status).toBe('malformed');
  });
});

it.each([null, undefined, {}])(
  'headers count where there are no multi-value ones: %j',
  (multiValueHeaders) => {
    const event = { ...eventOf('REST API', asked), multiValueHeaders };
    expect(headerKey(requestFromEvent(event).request.headers)).toEqual({ status: 'key', key: '8e03' });
  },
);

it('a header that carries the name of a built-in is a header', () => {
  const request = read('function URL', { headers: [['__proto__', 'x']] });
  expect(Object.keys(request.headers)).toEqual(['__proto__']);
});

it.each([
  ['an SQS event', { Records: [] }],
  ['nothing', undefined],
  ['an empty object', {}],
  ['a string', 'POST /'],
])('%s is no request', (_, event) => {
  expect(() => requestFromEvent(event)).toThrow('no HTTP request');
});
