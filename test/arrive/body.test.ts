import { inspect } from 'node:util';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type BodyReading, parseBody } from '../../lib/arrive/body.ts';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';

const secret = 'ann@example.com';

async function bodyOf(text: unknown, reading: BodyReading<unknown> = {}): Promise<unknown> {
  const parsed = await parseBody(text, reading);
  if (parsed.status !== 'parsed') throw parsed.error;
  return parsed.body;
}

/** The refusal's message, once it is certain that nothing of the error would tell the secret. */
async function refusalOf(text: unknown, reading: BodyReading<unknown> = {}): Promise<string> {
  const parsed = await parseBody(text, reading);
  if (parsed.status !== 'unparseable') throw new Error('was parsed');
  expect(inspect(parsed.error, { showHidden: true, depth: 9 })).not.toContain(secret);
  expect(parsed.error.name).toBe('Error');
  return parsed.error.message;
}

describe('a body', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['null', null],
    ['""', ''],
    ['0', 0],
    ['false', false],
    ['\ufeff{"a":1}', { a: 1 }],
    [' [1] ', [1]],
    ['"\\ud800"', '\ud800'],
  ])('that is %j is read as JSON', async (text, body) => {
    expect(await bodyOf(text)).toEqual(body);
  });

  it.each([
    '',
    ' ',
    'not json',
    '{',
    "{'a':1}",
    'undefined',
    'NaN',
    '\ufeff',
    '\ufeff\ufeff1',
    '[1,]',
    '\ud800',
  ])('that is %j is no JSON', async (text) => {
    expect(await refusalOf(text)).toMatch(/^the body is not JSON(: position \d+)?$/);
  });

  it.each([undefined, null, 7, {}, ['{}']])('that is no text but %j is refused', async (text) => {
    expect(await refusalOf(text)).toBe('the record has no body');
  });

  it.each([
    secret,
    `{"a": ${secret}}`,
    `{"a": "${secret}"`,
    `{"${secret}" 1}`,
    `"${secret} in JSON at position 7 (line 1 column 8)`,
    `${secret} in JSON at position 7 (line 1 column 8)`,
  ])('is never quoted by the refusal, case %#', async (text) => {
    expect(await refusalOf(text)).toMatch(/^the body is not JSON(: position \d+)?$/);
  });

  it('that breaks off is refused with the place where it does, for a person to look at', async () => {
    expect(await refusalOf('{"a": 1,, "b": 2}')).toBe('the body is not JSON: position 8');
  });

  it('keeps its JSON text for the fingerprint, without the byte order mark', async () => {
    expect(await parseBody('\ufeff{"id":9007199254740993}', {})).toMatchObject({
      status: 'parsed',
      source: { json: '{"id":9007199254740993}' },
    });
  });
});

describe('a parse of the user', () => {
  it('gets the text as it came and makes the body of it', async () => {
    expect(await bodyOf('\ufeffa=1', { parse: (text) => text.split('=') })).toEqual(['\ufeffa', '1']);
    expect(await bodyOf('a=1', { parse: async (text) => text.split('=') })).toEqual(['a', '1']);
    expect(await bodyOf('a=1', { parse: () => undefined })).toBeUndefined();
  });

  it('gives the fingerprint its value, before the schema fills anything in', async () => {
    const parsed = await parseBody('17', {
      parse: (text) => ({ id: Number(text) }),
      schema: z.object({ id: z.number(), readAt: z.date().default(() => new Date()) }),
    });
    expect(parsed).toMatchObject({ status: 'parsed', body: { readAt: expect.any(Date) } });
    expect(parsed).toHaveProperty('source', { value: { id: 17 } });
  });

  it.each([
    [new SyntaxError(secret), 'parse threw SyntaxError'],
    [new Error('outer', { cause: secret }), 'parse threw Error'],
    [Object.assign(new Error(secret), { name: secret }), 'parse threw an error'],
    [secret, 'parse threw Error'],
    [undefined, 'parse threw Error'],
  ])('makes the message unparseable by throwing, and is not quoted, case %#', async (thrown, message) => {
    const parse = () => {
      throw thrown;
    };
    expect(await refusalOf('x', { parse })).toBe(message);
    expect(await refusalOf('x', { parse: () => Promise.reject(thrown) })).toBe(message);
  });

  it.each([new PoisonMessageError('version 3 is not spoken here'), new RetryLaterError({ afterSeconds: 5 })])(
    'says on purpose what is to become of the message: %s',
    async (error) => {
      const parsed = await parseBody('x', { parse: () => Promise.reject(error) });
      expect(parsed).toEqual({ status: 'unparseable', error });
      expect(parsed).toHaveProperty('error', error);
    },
  );
});

describe.each([
  [
    'zod',
    z.object({
      id: z.string().transform((id) => id.toUpperCase()),
      lines: z.array(z.object({ price: z.number() })),
    }),
  ],
  [
    'valibot',
    v.object({
      id: v.pipe(
        v.string(),
        v.transform((id) => id.toUpperCase()),
      ),
      lines: v.array(v.object({ price: v.number() })),
    }),
  ],
  [
    'arktype',
    type({ id: type('string').pipe((id) => id.toUpperCase()), lines: type({ price: 'number' }).array() }),
  ],
] as const)('a schema of %s', (_, schema) => {
  it('makes the body', async () => {
    const parsed = await parseBody('{"id":"a","lines":[{"price":1}]}', { schema });
    expect(parsed).toMatchObject({
      status: 'parsed',
      body: { id: 'A', lines: [{ price: 1 }] },
      source: { json: '{"id":"a","lines":[{"price":1}]}' },
    });
  });

  it('refuses a body with the places and without the values', async () => {
    const text = `{"id":"a","lines":[{"price":1},{"price":"${secret}"}]}`;
    expect(await refusalOf(text, { schema })).toBe('the body does not match the schema at /lines/1/price');
    expect(await refusalOf(`"${secret}"`, { schema })).toBe('the body does not match the schema as a whole');
  });

  it('comes after a parse of the user', async () => {
    const parse = (id: string) => ({ id, lines: [] });
    expect(await bodyOf('a', { schema, parse })).toEqual({ id: 'A', lines: [] });
  });
});

describe('a schema', () => {
  it('may take its time', async () => {
    const schema = z.string().refine(async (text) => text === 'known');
    expect(await bodyOf('"known"', { schema })).toBe('known');
    expect(await refusalOf('"unknown"', { schema })).toBe('the body does not match the schema as a whole');
  });

  it('that throws makes the message unparseable and is not quoted', async () => {
    const schema = z.string().refine((text) => {
      throw new TypeError(text);
    });
    expect(await refusalOf(`"${secret}"`, { schema })).toBe('the schema threw TypeError');
  });

  it('tells five places at most', async () => {
    const schema = z.array(z.number());
    expect(await refusalOf(JSON.stringify(Array(9).fill(secret)), { schema })).toBe(
      'the body does not match the schema at /0, at /1, at /2, at /3, at /4 and 4 more places',
    );
  });

  it('gives the body its type', async () => {
    const parsed = await parseBody('{}', { schema: z.object({ id: z.string().transform(Number) }) });
    if (parsed.status === 'parsed') expectTypeOf(parsed.body).toEqualTypeOf<{ id: number }>();
    const valibot = await parseBody('{}', { schema: v.object({ id: v.optional(v.string(), 'a') }) });
    if (valibot.status === 'parsed') expectTypeOf(valibot.body).toEqualTypeOf<{ id: string }>();
    const arktype = await parseBody('{}', { schema: type({ id: 'string.numeric.parse' }) });
    if (arktype.status === 'parsed') expectTypeOf(arktype.body).toEqualTypeOf<{ id: number }>();
    const json = await parseBody('{}', {});
    if (json.status === 'parsed') expectTypeOf(json.body).toEqualTypeOf<unknown>();
  });
});
