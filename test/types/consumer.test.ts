import middy from '@middy/core';
import { type } from 'arktype';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import middy6 from 'middy6';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { consumeOnce, idempotentConsumer, memoryClaims, type SqsRecord } from '../../lib/index.ts';

const claims = memoryClaims();
const partialResponses = true;
const common = { scope: 'types', claims, partialResponses };

describe('the body type flows from the schema', () => {
  it('to key and handler, from zod', () => {
    const consumer = idempotentConsumer({
      ...common,
      schema: z.object({ orderId: z.string(), at: z.coerce.date() }),
      key: ({ body, record }) => {
        expectTypeOf(body).toEqualTypeOf<{ orderId: string; at: Date }>();
        expectTypeOf(record).toEqualTypeOf<SqsRecord>();
        return body.orderId;
      },
    });
    consumer.eachMessage(({ body }, attempt) => {
      expectTypeOf(body.at).toEqualTypeOf<Date>();
      expectTypeOf(attempt.number).toEqualTypeOf<number>();
    });
  });

  it('from valibot and arktype', () => {
    idempotentConsumer({
      ...common,
      schema: v.object({ id: v.number() }),
      key: ({ body }) => {
        expectTypeOf(body).toEqualTypeOf<{ id: number }>();
        return body.id;
      },
    });
    idempotentConsumer({ ...common, schema: type({ id: 'string' }), key: ({ body }) => body.id });
  });

  it('from parse, and is unknown without either', () => {
    consumeOnce({ ...common, parse: (text) => text.length }, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<number>();
    });
    consumeOnce(common, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<unknown>();
    });
  });

  it('or from a type argument', () => {
    idempotentConsumer<{ orderId: string }>({ ...common, key: ({ body }) => body.orderId });
  });
});

describe('wrong options do not compile', () => {
  it('unknown ones, and keys of another type', () => {
    // @ts-expect-error there is no such option
    const unknown = () => idempotentConsumer({ ...common, leaseSecond: 3 });
    // @ts-expect-error a key is a string or a number
    const key = () => idempotentConsumer({ ...common, key: () => ({}) });
    // @ts-expect-error a scope is needed
    const scope = () => idempotentConsumer({ claims });
    expectTypeOf([unknown, key, scope]).toBeArray();
  });
});

describe('both majors of Middy take the middleware and its handler', () => {
  const consumer = idempotentConsumer(common);
  const base = consumer.eachMessage(() => {});

  it('Middy 7', () => {
    const handler = middy().use(consumer).handler(base);
    expectTypeOf(handler).toBeFunction();
    const whole = async (_event: SQSEvent): Promise<SQSBatchResponse> => ({ batchItemFailures: [] });
    expectTypeOf(middy(whole).use(idempotentConsumer(common))).toBeFunction();
  });

  it('Middy 6', () => {
    expectTypeOf(middy6().use(consumer).handler(base)).toBeFunction();
    const whole = async (_event: SQSEvent): Promise<SQSBatchResponse> => ({ batchItemFailures: [] });
    expectTypeOf(middy6(whole).use(idempotentConsumer(common))).toBeFunction();
  });
});
