// An observer that cannot work says so, at once or once, and harms nothing.
import * as otel from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Observer, publish } from '../../lib/observe/events.ts';
import { logTo } from '../../lib/observe/log.ts';
import { emitMetrics } from '../../lib/observe/metrics.ts';
import { traceTo } from '../../lib/observe/trace.ts';

const warnings: string[] = [];

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation((text) => void warnings.push(text));
});
afterEach(() => {
  warnings.length = 0;
  vi.restoreAllMocks();
});

async function tellTwice(...observers: unknown[]): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    publish(observers as Observer[], () => ({ type: 'completed', scope: 'tests' }));
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

describe('what is no logger or no OpenTelemetry is refused at once', () => {
  test.each([
    [undefined, 'logTo was given undefined'],
    [null, 'logTo was given null'],
    [{}, 'logTo was given an object'],
    [{ info() {}, warn() {} }, 'logTo was given an object'],
    ['console', 'logTo was given "console"'],
  ])('logTo(%o)', (logger, got) => {
    expect(() => logTo(logger as never)).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: `${got}; give console, a Powertools Logger, pino, or anything with info, warn and error`,
      }),
    );
  });

  test.each([[undefined], [{}], [{ trace: otel.trace, propagation: otel.propagation }]])(
    'traceTo(%o)',
    (api) => {
      expect(() => traceTo(api as never)).toThrow(
        expect.objectContaining({
          name: 'ConfigurationError',
          message: expect.stringMatching(/^traceTo was given .*; give the module: import/),
        }),
      );
    },
  );

  test('a logger of functions on a function, and the module, are taken', () => {
    const logger = Object.assign(() => {}, { info() {}, warn() {}, error() {} });
    expect(logTo(logger)).toBeTypeOf('function');
    expect(traceTo(otel)).toBeTypeOf('function');
  });
});

test.each([
  ['logTo', () => (logger: never) => logTo(logger)],
  ['traceTo', () => (api: never) => traceTo(api)],
  ['emitMetrics', () => () => emitMetrics()],
])('%s that was not called is said once', async (_, make) => {
  await tellTwice(make());
  expect(warnings).toEqual([expect.stringMatching(/^sqs-once: an observer .* was not called.*call it/)]);
});

describe('an observer that fails is said once, by the class of its error alone,', () => {
  class OutOfPaperError extends Error {
    override name = 'never-print-name';
  }
  const thrown = new OutOfPaperError('never-print-text');

  test('whether it throws or rejects, each of them', async () => {
    const throws = () => {
      throw thrown;
    };
    const rejects = () => Promise.reject(thrown);
    await tellTwice(throws, rejects);
    expect(warnings).toEqual([
      expect.stringContaining('threw OutOfPaperError'),
      expect.stringContaining('threw OutOfPaperError'),
    ]);
    expect(warnings.join()).not.toContain('never-print');
  });

  test('and what it throws may be anything, the console out of order too', async () => {
    vi.mocked(console.warn).mockImplementation(() => {
      throw new Error('closed');
    });
    const odd = [undefined, 'text', Object.create(null), new Proxy({}, { get: () => tellTwice() })];
    for (const value of odd) {
      await tellTwice(
        () => {
          throw value;
        },
        () => Promise.reject(value),
      );
    }
  });
});
