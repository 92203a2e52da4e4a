import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, types } from 'node:util';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as errors from '../lib/errors.ts';
import type { ErrorDetails } from '../lib/once-error.ts';
import { errorSummary } from '../lib/settle/error-summary.ts';

const { isNamed, toError } = errors;

/** Things that throw at whoever looks at them. */
function hostile(): Record<string, unknown> {
  const angry = () => {
    throw new Error('do not look');
  };
  const traps = new Proxy({}, { get: () => angry });
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const selfish: object = new Proxy({}, { getPrototypeOf: () => selfish });
  return {
    undefined: undefined,
    null: null,
    'an empty text': '',
    'a symbol': Symbol('x'),
    'a bigint': 10n,
    'a function': () => 'x',
    'an object without a prototype': Object.create(null),
    'an object that cannot become text': { toString: angry, valueOf: angry, [Symbol.toPrimitive]: angry },
    'a message that is no text': Object.assign(new Error(), { message: { toString: angry } }),
    'a message that throws': Object.defineProperty(new Error(), 'message', { get: angry }),
    'a name that throws': Object.defineProperty(new Error(), 'name', { get: angry }),
    'a stack that throws': Object.defineProperty(new Error(), 'stack', { get: angry }),
    'a Proxy that throws': new Proxy(new Error('x'), traps),
    'a Proxy of an object that throws': new Proxy({}, traps),
    'a revoked Proxy': revoked,
    'a Proxy that is its own prototype': selfish,
  };
}

const classes = {
  ConfigurationError: errors.ConfigurationError,
  FencedOutError: errors.FencedOutError,
  EffectKeyExpiredError: errors.EffectKeyExpiredError,
  KeyReusedError: errors.KeyReusedError,
  NoKeyError: errors.NoKeyError,
  PoisonMessageError: errors.PoisonMessageError,
  StoreUnavailableError: errors.StoreUnavailableError,
} as const;

const ofEachClass = [
  ...Object.entries(classes).map(([name, ErrorClass]) => ({
    name,
    make: (details: ErrorDetails): Error => new ErrorClass('went wrong', details),
  })),
  {
    name: 'TransactionRejectedError',
    make: (details: ErrorDetails): Error =>
      new errors.TransactionRejectedError('went wrong', [{ index: 0, item: undefined }], details),
  },
];

describe.each(ofEachClass)('a $name', ({ name, make }) => {
  const cause = new Error('because');
  const error = make({ cause, scope: 'orders', key: 'ann@example.com' });

  it('is an error of that name, with message, cause and scope', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, message: 'went wrong', cause, scope: 'orders' });
    expect(error.stack).toMatch(new RegExp(`^${name}: went wrong\n`));
    expect(isNamed(error, name)).toBe(true);
    expect(isNamed(error, 'Error')).toBe(true);
    expect(ofEachClass.filter((other) => isNamed(error, other.name))).toHaveLength(1);
  });

  it('knows its key, and no log does', () => {
    expect(error).toHaveProperty('key', 'ann@example.com');
    expect(inspect(error, { depth: 9 })).not.toContain('ann@example.com');
    expect(JSON.stringify(error)).not.toContain('ann@example.com');
    expect(JSON.stringify({ ...error })).not.toContain('ann@example.com');
    expect(String(error)).not.toContain('ann@example.com');
  });

  it('has nothing it was not given', () => {
    const bare = make({});
    expect('cause' in bare).toBe(false);
    expect('scope' in bare).toBe(false);
    expect('key' in bare).toBe(false);
  });
});

describe('an error of ours', () => {
  it('is recognised when a subclass goes by another name', () => {
    class UnknownCurrency extends errors.PoisonMessageError {
      override name = 'UnknownCurrency';
    }
    class UnknownCountry extends errors.PoisonMessageError {
      constructor() {
        super('no such country');
        this.name = 'UnknownCountry';
      }
    }
    for (const error of [new UnknownCurrency('no such currency'), new UnknownCountry()]) {
      expect(isNamed(error, 'PoisonMessageError')).toBe(true);
      expect(isNamed(error, 'RetryLaterError')).toBe(false);
      expect(error.name).toMatch(/^Unknown/);
    }
    expect(new errors.PoisonMessageError('x').name).toBe('PoisonMessageError');
  });

  describe('of another copy of the package, minified', () => {
    const folder = mkdtempSync(join(tmpdir(), 'errors-'));
    const file = join(folder, 'copy.mjs');
    let copy: typeof errors;
    beforeAll(async () => {
      const entry = fileURLToPath(new URL('../lib/errors.ts', import.meta.url));
      await build({
        entryPoints: [entry],
        outfile: file,
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
      });
      copy = (await import(pathToFileURL(file).href)) as typeof errors;
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is recognised by its name', () => {
      const error = new copy.RetryLaterError({ afterSeconds: 1 });
      expect(error).not.toBeInstanceOf(errors.RetryLaterError);
      expect(isNamed(error, 'RetryLaterError')).toBe(true);
      expect(copy.isNamed(new errors.NoKeyError('x'), 'NoKeyError')).toBe(true);
      expect(errorSummary(new copy.PoisonMessageError('x'))).toEqual({
        name: 'PoisonMessageError',
        message: 'x',
      });
    });

    it('is printed under its name when it ends a process', () => {
      const source = `const { KeyReusedError } = await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(String(new KeyReusedError('x')));`;
      const printed = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
        encoding: 'utf8',
      });
      expect(printed.trim()).toBe('KeyReusedError: x');
    });
  });

  it('is never recognised in what throws when it is looked at', () => {
    for (const [what, thrown] of Object.entries(hostile())) {
      expect(isNamed(thrown, 'PoisonMessageError'), what).toBe(false);
    }
    expect(isNamed('PoisonMessageError', 'PoisonMessageError')).toBe(false);
    expect(isNamed(class PoisonMessageError {}, 'PoisonMessageError')).toBe(false);
  });
});

describe('a RetryLaterError', () => {
  it('without a time says what would do', () => {
    expect(() => new errors.RetryLaterError(undefined as never)).toThrow(
      'afterSeconds is undefined; give a number from 0',
    );
  });

  it.each([
    [0, 0],
    [1, 1],
    [0.2, 1],
    [43_199.5, 43_200],
    [43_200, 43_200],
  ])('of %d s asks for %d whole seconds', (afterSeconds, wanted) => {
    expect(new errors.RetryLaterError({ afterSeconds })).toMatchObject({
      name: 'RetryLaterError',
      afterSeconds: wanted,
    });
  });

  it('carries its cause', () => {
    const cause = new Error('429');
    expect(new errors.RetryLaterError({ afterSeconds: 1, cause })).toMatchObject({ cause });
  });

  it.each([-1, -0.1, 43_200.5, Number.NaN, Number.POSITIVE_INFINITY, '30', null, undefined, 30n, {}])(
    'of %s is refused with the value and the range',
    (afterSeconds) => {
      expect(() => new errors.RetryLaterError({ afterSeconds: afterSeconds as number })).toThrow(
        /^afterSeconds is .+; give a number from 0 to 43200/,
      );
      expect(() => new errors.RetryLaterError({ afterSeconds: afterSeconds as number })).toThrow(TypeError);
    },
  );
});

describe('a TransactionRejectedError', () => {
  it('names the first refused write and keeps all items out of logs', () => {
    const failures = [
      { index: 2, item: { email: 'ann@example.com' } },
      { index: 5, item: undefined },
    ] as const;
    const error = new errors.TransactionRejectedError('a condition did not hold', failures);
    expect(error.index).toBe(2);
    expect(error.item).toBe(failures[0].item);
    expect(error.failures).toEqual(failures);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain('ann@example.com');
    expect(inspect(error)).toContain('index: 2');
  });
});

describe('whatever is thrown', () => {
  it.each([
    ['an error', new TypeError('x')],
    ['an error of another realm', runInNewContext('new TypeError("x")') as Error],
    ['an error of ours', new errors.NoKeyError('x')],
    ['an abort', new DOMException('x', 'AbortError')],
    [
      'made the old way',
      Object.assign(Object.create(Error.prototype), { name: 'Old', message: 'x' }) as Error,
    ],
  ])('comes back as it is when it is %s', (_, error) => {
    expect(toError(error)).toBe(error);
    expect(errorSummary(error)).toEqual({ name: error.name, message: 'x' });
  });

  it.each([
    ['card declined', 'card declined'],
    [{ message: 'card declined', code: 7 }, 'card declined'],
    [{ name: 'CardError', message: 'card declined', stack: '' }, 'card declined'],
    [undefined, 'undefined was thrown'],
    [null, 'null was thrown'],
    [7, '7 was thrown'],
    [{ code: 7 }, 'an object was thrown'],
    [Symbol('x'), 'Symbol(x) was thrown'],
  ])('becomes the cause of an error that says so, case %#', (thrown, message) => {
    const error = toError(thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe(message);
    expect(error).toHaveProperty('cause', thrown);
  });

  it('is not trusted to stay as it is when it is a Proxy', () => {
    expect(toError(new Proxy(new Error('x'), {})).message).toBe('x');
    expect(types.isProxy(toError(new Proxy(new Error('x'), {})))).toBe(false);
  });

  it('can be told as text, whatever it is', () => {
    for (const [what, thrown] of Object.entries(hostile())) {
      const error = toError(thrown);
      expect(typeof error.message, what).toBe('string');
      expect(typeof error.stack, what).toBe('string');
      const { name, message } = errorSummary(thrown);
      expect(typeof name, what).toBe('string');
      expect(typeof message, what).toBe('string');
    }
  });

  it('is cut to what a row and a message attribute take', () => {
    const error = Object.assign(new Error('m'.repeat(9_999)), { name: 'n'.repeat(999) });
    expect(errorSummary(error)).toEqual({ name: 'n'.repeat(256), message: 'm'.repeat(1_024) });
  });

  it('is told in characters that DynamoDB and SQS take', () => {
    const { message } = errorSummary(new Error(`${'a'.repeat(1_023)}😀`));
    expect(message).toBe(`${'a'.repeat(1_023)}\ufffd`);
    expect(errorSummary(new Error('a\u0000\u0007\u001b\ud800\uffff\tb\r\nc😀')).message).toBe(
      'a\ufffd\ufffd\ufffd\ufffd\ufffd\tb\r\nc😀',
    );
  });
});
