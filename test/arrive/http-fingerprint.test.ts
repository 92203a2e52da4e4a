// A fingerprint tells requests apart that are not the same, and nothing else.
import { describe, expect, it } from 'vitest';
import { sameFingerprint } from '../../lib/arrive/fingerprint.ts';
import { requestFingerprint } from '../../lib/arrive/http-fingerprint.ts';
import type { HttpRequest } from '../../lib/arrive/http-request.ts';
import { jsonPointer } from '../../lib/arrive/json-pointer.ts';

function request(
  given: Partial<Omit<HttpRequest, 'bytes'>> & { body?: string | Uint8Array } = {},
): HttpRequest {
  const { body = '{"a":1}', ...more } = given;
  return {
    method: 'POST',
    path: '/orders/1',
    query: 'x=1',
    headers: {},
    original: undefined,
    bytes: Buffer.from(body as string),
    ...more,
  };
}

const pointers = (...texts: string[]) => texts.map((text) => jsonPointer(text) ?? []);

// Computed by hand in another language from what the comment over `requestFingerprint` says.
it('is the same in every version of this package', () => {
  expect(requestFingerprint(request())).toBe('h1:mchDBoU_dm92f2GIuga1w7fmxTqabXCkTtE7fUGFRMI');
  expect(requestFingerprint(request(), pointers('/attempt'))).toBe(
    'h1ve66b9065:7CJXlXGavp2cYATjad0OJewDbanaRb8LHRiJJRdciXo',
  );
});

describe('another', () => {
  it.each([
    ['method', { method: 'PATCH' }],
    ['resource', { path: '/orders/2' }],
    ['query', { query: 'x=2' }],
    ['order of one name in the query', { query: 'x=2&x=1' }],
    ['byte of the body', { body: '{"a":1} ' }],
    ['byte that is no text', { body: Uint8Array.of(0xff) }],
    ['part of the path in the query', { path: '/orders', query: '1&x=1' }],
  ])('%s is another request', (_, other) => {
    const base = _.startsWith('order of') ? request({ query: 'x=1&x=2' }) : request();
    expect(requestFingerprint(request(other))).not.toBe(requestFingerprint(base));
  });

  it.each([
    ['signature, date or trace id', { headers: { 'x-signature': 's', date: 'd', 'x-amzn-trace-id': 't' } }],
    ['spelling of the path', { path: '/%6Frders/1' }],
    ['spelling of the query', { query: '%78=1' }],
  ])('%s is the same request', (_, other) => {
    expect(requestFingerprint(request(other))).toBe(requestFingerprint(request()));
  });

  it('order of different names in the query is the same request', () => {
    expect(requestFingerprint(request({ query: 'b=1&a=2' }))).toBe(
      requestFingerprint(request({ query: 'a=2&b=1' })),
    );
  });

  it('path that an HTTP API has decoded is the same request', () => {
    expect(requestFingerprint(request({ path: '/a b/ü' }))).toBe(
      requestFingerprint(request({ path: '/a%20b/%C3%BC' })),
    );
    expect(() => requestFingerprint(request({ path: '/100%/\ud800' }))).not.toThrow();
  });
});

describe('what a sender changes with every retry', () => {
  const volatile = pointers('/attempt', '/meta/sentAt', '/items/1', '/a~1b');
  const body = (attempt: number, more = '') =>
    `{"attempt":${attempt},"meta":{"sentAt":"${attempt}","id":9007199254740993},"items":[1,${attempt},3],"a/b":${attempt}${more}}`;

  it('does not count, wherever it stands', () => {
    expect(requestFingerprint(request({ body: body(1) }), volatile)).toBe(
      requestFingerprint(request({ body: body(2) }), volatile),
    );
  });

  it('does not count when it is not there at all', () => {
    expect(requestFingerprint(request({ body: '{"a":1}' }), volatile)).toBe(
      requestFingerprint(request({ body: '{"attempt":{"deep":[1]}, "a":1}' }), volatile),
    );
  });

  it('leaves everything else to count, numbers as they are written', () => {
    const one = requestFingerprint(request({ body: body(1) }), volatile);
    expect(requestFingerprint(request({ body: body(1, ',"b":1') }), volatile)).not.toBe(one);
    const rounded = body(1).replace('9007199254740993', '9007199254740992');
    expect(requestFingerprint(request({ body: rounded }), volatile)).not.toBe(one);
    expect(requestFingerprint(request({ body: body(1), method: 'PATCH' }), volatile)).not.toBe(one);
  });

  it('does not make two bodies one that are no JSON', () => {
    const [one, other] = ['attempt=1', 'attempt=2'].map((text) =>
      requestFingerprint(request({ body: text }), volatile),
    ) as [string, string];
    expect(sameFingerprint(one, other)).toBe('different');
    expect(sameFingerprint(one, requestFingerprint(request({ body: body(1) }), volatile))).toBe('different');
  });

  it('says nothing about requests from before it was named', () => {
    const before = requestFingerprint(request({ body: body(1) }));
    expect(sameFingerprint(before, requestFingerprint(request({ body: body(2) }), volatile))).toBe('same');
    expect(
      sameFingerprint(
        requestFingerprint(request({ body: body(1) }), volatile),
        requestFingerprint(request({ body: body(2) }), pointers('/attempt')),
      ),
    ).toBe('same');
  });

  it('is left out behind a byte order mark too', () => {
    const marked = (attempt: number) => request({ body: `\ufeff{"attempt":${attempt}}` });
    expect(requestFingerprint(marked(1), volatile)).toBe(requestFingerprint(marked(2), volatile));
  });

  it('makes no two bodies one that differ in bytes that are no text', () => {
    const odd = (byte: number) => request({ body: Buffer.from([0x22, byte, 0x22]) });
    expect(requestFingerprint(odd(0xff), volatile)).not.toBe(requestFingerprint(odd(0xfe), volatile));
  });

  it('is looked for without a deep body costing more than its length', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(requestFingerprint(request({ body: deep }), volatile)).toMatch(/^h1v/);
  });
});

it.each(['', 'attempt', '/a~2', '/a~', 7, null, undefined])('%j is no pointer to a place inside', (text) => {
  expect(jsonPointer(text)).toBeUndefined();
});

it.each([
  ['/a/0', ['a', '0']],
  ['/', ['']],
  ['/a~1b~0', ['a/b~']],
  ['/~01', ['~1']],
])('%j leads to %j', (text, steps) => {
  expect(jsonPointer(text)).toEqual(steps);
});
