// What a handler answers reaches its sender whole, through whatever brought the request; so does its replay.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { EventKind } from '../../lib/arrive/http-event.ts';
import { eventResponse } from '../../lib/settle/http-event-response.ts';
import { keepResponse, readResponse } from '../../lib/settle/http-record.ts';
import { type HttpResponse, readAnswer } from '../../lib/settle/http-response.ts';
import { type Kind, type Told, toldBy } from '../support/http-events.ts';

const kinds: readonly (readonly [EventKind, Kind])[] = [
  ['v1', 'REST API'],
  ['v2', 'HTTP API, payload 2.0'],
  ['alb', 'load balancer'],
  ['alb-multi', 'load balancer, multi-value'],
];

const throughAll = (answer: unknown): readonly Told[] =>
  kinds.map(([shape, kind]) => toldBy(kind, eventResponse(shape, readAnswer(answer).response)));

const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const answers: readonly (readonly [string, HttpResponse | undefined, Partial<Told>])[] = [
  ['nothing', undefined, { status: 204, headers: {}, body: Buffer.alloc(0) }],
  ['a status alone', { statusCode: 201 }, { status: 201, headers: {}, cookies: [] }],
  [
    'text, as it is',
    { statusCode: 200, headers: { 'Content-Type': 'text/plain' }, body: '{"a":1}' },
    { headers: { 'content-type': 'text/plain' }, body: Buffer.from('{"a":1}') },
  ],
  ['bytes', { statusCode: 200, body: bytes }, { body: Buffer.from(bytes) }],
  ['an ArrayBuffer', { statusCode: 200, body: bytes.buffer }, { body: Buffer.from(bytes) }],
  [
    'a view of a part of one',
    { statusCode: 200, body: new DataView(bytes.buffer, 5, 10) },
    { body: Buffer.from(bytes.subarray(5, 15)) },
  ],
  [
    'a view of wider numbers',
    { statusCode: 200, body: new Uint16Array(bytes.buffer, 4, 3) },
    { body: Buffer.from(bytes.subarray(4, 10)) },
  ],
  [
    'an object with a way of its own to be JSON',
    { statusCode: 200, body: { pipe: () => {}, toJSON: () => ({ a: 1 }) } },
    { json: { a: 1 } },
  ],
  [
    'base64, as Lambda has it',
    { statusCode: 200, body: Buffer.from(bytes).toString('base64'), isBase64Encoded: true },
    { body: Buffer.from(bytes) },
  ],
  [
    'an object as JSON',
    { statusCode: 201, body: { a: [1] } },
    { headers: { 'content-type': 'application/json' }, json: { a: [1] } },
  ],
  [
    'an object as the JSON it says it is',
    { statusCode: 201, headers: { 'Content-Type': 'application/hal+json' }, body: { a: 1 } },
    { headers: { 'content-type': 'application/hal+json' }, json: { a: 1 } },
  ],
  ['false as JSON', { statusCode: 200, body: false }, { body: Buffer.from('false') }],
  ['an empty text', { statusCode: 200, body: '' }, { headers: {}, body: Buffer.alloc(0) }],
  [
    'numbers in headers as text, and none for undefined',
    { statusCode: 200, headers: { 'X-Count': 3, 'X-None': undefined } },
    { headers: { 'x-count': '3' } },
  ],
  [
    'headers with several values',
    { statusCode: 200, headers: { Location: '/a' }, multiValueHeaders: { Link: ['<a>', '<b>'] } },
    { headers: { location: '/a', link: '<a>, <b>' } },
  ],
  ['one cookie', { statusCode: 200, cookies: ['a=1'] }, { cookies: ['a=1'] }],
  [
    'cookies in all the ways there are',
    {
      statusCode: 200,
      multiValueHeaders: { 'set-cookie': ['a=1; Path=/', 'b=2'] },
      cookies: ['c=3', 'd=4'],
    },
    { cookies: ['a=1; Path=/', 'b=2', 'c=3', 'd=4'] },
  ],
  [
    'a single cookie header beside cookies',
    { statusCode: 200, headers: { 'Set-Cookie': 'a=1' }, cookies: ['b=2', 'c=3'] },
    { cookies: ['a=1', 'b=2', 'c=3'] },
  ],
];

describe.each(answers)('%s', (_, answer, expected) => {
  it.each(kinds)('reaches the sender through %s', (shape, kind) => {
    expect(toldBy(kind, eventResponse(shape, readAnswer(answer).response))).toMatchObject(expected);
  });

  it('is replayed as it was first given', () => {
    const { response } = readAnswer(answer);
    const again = readResponse(keepResponse(response));
    expect(again.bodyKept).toBe(true);
    for (const [shape, kind] of kinds) {
      expect(toldBy(kind, eventResponse(shape, again.response))).toEqual(
        toldBy(kind, eventResponse(shape, response)),
      );
    }
  });
});

it('a value without a status is 200 and JSON, as API Gateway has it', () => {
  for (const told of throughAll({ a: 1 })) {
    expect(told).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      json: { a: 1 },
    });
  }
  expect(throughAll('hello')[0]?.body.toString()).toBe('"hello"');
});

it('an answer may have more cookies than a name has letters', () => {
  const cookies = Array.from({ length: 40 }, (_, place) => `c${place}=1`);
  for (const told of throughAll({ statusCode: 200, cookies })) expect(told.cookies).toEqual(cookies);
});

describe('an answer that cannot be sent is said to be one, and never thrown', () => {
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  it.each([
    ['no status from 200 to 599', { statusCode: 99 }, 'statusCode is 99'],
    ['a status that is no number', { statusCode: 'fine' }, 'statusCode is "fine"'],
    ['a body that contains itself', { statusCode: 200, body: loop }, 'cannot be written as JSON'],
    ['a function for a body', { statusCode: 200, body: () => 'secret' }, 'the body is function'],
    ['a Blob for a body', { statusCode: 200, body: new Blob(['secret']) }, 'the body is a stream, a Blob'],
    ['a Response for a body', { statusCode: 200, body: new Response('secret') }, 'the body is a stream'],
    ['a Response for an answer', new Response('secret'), 'the body is a stream, a Blob, a Response'],
    ['a stream for a body', { statusCode: 200, body: Readable.from(['secret']) }, 'the body is a stream'],
    ['a stream of the web', { statusCode: 200, body: new Blob(['secret']).stream() }, 'the body is a stream'],
    [
      'a promise for a body',
      { statusCode: 200, body: Promise.resolve('secret') },
      'a promise; read it first',
    ],
    ['two lines in a header', { statusCode: 200, headers: { 'x-a': 'b\r\nc: d' } }, 'the header "x-a" has'],
    ['a header beyond Latin-1', { statusCode: 200, headers: { 'x-a': 'é中' } }, 'the header "x-a" has'],
    [
      'one among several',
      { statusCode: 200, multiValueHeaders: { 'x-a': ['b', '中'] } },
      'the header "x-a" has',
    ],
    ['a cookie of two lines', { statusCode: 200, cookies: ['a=1\n'] }, 'the header "set-cookie" has'],
    ['a space in a header name', { statusCode: 200, headers: { 'x a': 'b' } }, 'a header has a name'],
    ['a bigint for a body', { statusCode: 200, body: 1n }, 'cannot be written as JSON'],
  ])('%s', (_, answer, why) => {
    const { status, response } = readAnswer(answer);
    expect(status).toBe('unusable');
    expect(response.statusCode).toBe(500);
    expect(JSON.parse(String(response.body))).toMatchObject({
      type: expect.stringMatching(/#answer-unusable$/),
      status: 500,
      detail: expect.stringContaining(why),
    });
  });

  it('and what a getter of the user throws is kept from the sender', () => {
    const hostile = {
      get statusCode(): number {
        throw new Error('secret');
      },
    };
    expect(JSON.stringify(readAnswer(hostile))).not.toContain('secret');
  });
});

describe('a replay', () => {
  const big = 'x'.repeat(300 * 1_024);

  it('has nothing of the connection the first answer went over', () => {
    const { response } = readAnswer({
      statusCode: 200,
      headers: { Connection: 'close, X-Hop', 'X-Hop': '1', 'Keep-Alive': 'timeout=5', 'X-End': '2' },
      multiValueHeaders: { 'Transfer-Encoding': ['chunked'], Trailer: ['x'], Upgrade: ['h2c'] },
    });
    expect(readResponse(keepResponse(response)).response).toMatchObject({
      headers: { 'X-End': '2' },
      multiValueHeaders: {},
    });
  });

  it('of a body too large to keep has its status and headers, and nothing that speaks of a body', () => {
    const { response } = readAnswer({
      statusCode: 201,
      headers: { Location: '/a', 'Content-Type': 'text/plain', 'Content-Length': big.length, ETag: '"e"' },
      cookies: ['a=1'],
      body: big,
    });
    const text = keepResponse(response) ?? '';
    expect(text.length).toBeLessThan(500);
    expect(readResponse(text)).toEqual({
      bodyKept: false,
      response: {
        statusCode: 201,
        headers: { Location: '/a' },
        multiValueHeaders: {},
        cookies: ['a=1'],
        body: undefined,
        isBase64Encoded: false,
      },
    });
  });

  it('of headers too large to keep has its status', () => {
    const { response } = readAnswer({ statusCode: 202, headers: { 'X-Big': big }, body: 'a' });
    expect(readResponse(keepResponse(response))).toMatchObject({
      bodyKept: false,
      response: { statusCode: 202, headers: {} },
    });
  });

  it('costs a row no more than it says', () => {
    expect(keepResponse(readAnswer(undefined).response)).toBe('{"statusCode":204}');
  });

  it.each([undefined, '{"statusCode":', 'not-kept: something'])(
    'of a damaged record %j has no body',
    (text) => {
      expect(readResponse(text)).toMatchObject({ bodyKept: false, response: { statusCode: 200 } });
    },
  );
});
