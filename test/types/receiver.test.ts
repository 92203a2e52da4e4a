import { createServer } from 'node:http';
import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import middy6 from 'middy6';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type Attempt,
  type HttpRequest,
  type HttpResponse,
  idempotentReceiver,
  memoryClaims,
  receiveHttp,
  receiveOnce,
} from '../../lib/index.ts';

const claims = memoryClaims();
const common = { scope: 'types', claims, caller: 'public' } as const;
const Order = z.object({ orderId: z.string(), at: z.coerce.date() });

describe('the body type flows from the schema', () => {
  it('to key and handler, behind all three faces', () => {
    const receiver = idempotentReceiver({
      ...common,
      schema: Order,
      key: ({ body, request }) => {
        expectTypeOf(body).toEqualTypeOf<{ orderId: string; at: Date }>();
        expectTypeOf(request).toEqualTypeOf<HttpRequest>();
        return body.orderId;
      },
    });
    receiver.eachRequest(({ body, key, bytes }, attempt) => {
      expectTypeOf(body.at).toEqualTypeOf<Date>();
      expectTypeOf(key).toEqualTypeOf<string | undefined>();
      expectTypeOf(bytes).toEqualTypeOf<Uint8Array>();
      expectTypeOf(attempt).toEqualTypeOf<Attempt>();
    });
    receiveOnce({ ...common, schema: Order, key: ({ body }) => body.orderId }, ({ body }) => {
      expectTypeOf(body.orderId).toEqualTypeOf<string>();
    });
    receiveHttp({ ...common, schema: Order, maxBodyBytes: 10 }, ({ body }) => {
      expectTypeOf(body.orderId).toEqualTypeOf<string>();
    });
  });

  it('or from parse, or is unknown', () => {
    receiveOnce({ ...common, parse: (text) => new URLSearchParams(text) }, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<URLSearchParams>();
    });
    receiveOnce(common, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<unknown>();
    });
  });
});

describe('a handler answers with a response or nothing', () => {
  it("in Lambda's own shape", () => {
    receiveOnce(common, () => ({ statusCode: 201, headers: { 'x-count': 3 }, body: { a: 1 } }));
    receiveOnce(common, async () => undefined);
    const typed: APIGatewayProxyStructuredResultV2 & { statusCode: number } = { statusCode: 200 };
    receiveOnce(common, (): HttpResponse => typed);
    // @ts-expect-error a status is needed
    receiveOnce(common, () => ({ body: 'a' }));
  });
});

describe('a receiver demands to know its callers', () => {
  it('by a function, or as public on purpose', () => {
    // @ts-expect-error caller is missing
    expect(() => receiveOnce({ scope: 'types', claims }, () => undefined)).toThrow('caller is undefined');
    // @ts-expect-error not a word for everybody
    expect(() => receiveOnce({ ...common, caller: 'anyone' }, () => undefined)).toThrow('caller is "anyone"');
    receiveOnce({ ...common, caller: async ({ request }) => request.headers['x-tenant'] }, () => undefined);
  });
});

it('fits Middy 6 and 7, node:http and a typed event', () => {
  const receiver = idempotentReceiver(common);
  middy()
    .use(receiver)
    .handler(receiver.eachRequest(() => undefined));
  middy6()
    .use(receiver)
    .handler(receiver.eachRequest(() => undefined));
  middy(async (_event: APIGatewayProxyEventV2) => ({ statusCode: 200 })).use(receiver);
  middy6(async (_event: APIGatewayProxyEventV2) => ({ statusCode: 200 })).use(receiver);
  createServer(receiveHttp(common, () => undefined));
});
