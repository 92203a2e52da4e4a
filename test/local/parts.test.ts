import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { startCountdown } from '../../lib/local/countdown.ts';
import { seededDuplicates } from '../../lib/local/duplicates.ts';
import { findHandler } from '../../lib/local/handler-file.ts';
import { splitByPayload } from '../../lib/local/payload.ts';

const handlers = join(import.meta.dirname, 'handlers');
const record = (body: string, receives = 1) =>
  ({ body, attributes: { ApproximateReceiveCount: String(receives) } }) as unknown as SqsRecord;

describe('a handler string', () => {
  test('names a module without its ending, and an export', () => {
    expect(findHandler('obedient.handler', handlers)).toEqual({
      file: join(handlers, 'obedient.ts'),
      exportName: 'handler',
      functionName: 'obedient',
    });
    expect(findHandler('./plain.other', handlers)).toMatchObject({ file: join(handlers, 'plain.cjs') });
  });

  test.each(['obedient', './obedient', '.handler', 'obedient.', ''])('"%s" is refused', (handler) => {
    expect(() => findHandler(handler, handlers)).toThrow(`The handler is "${handler}"; give a path, a dot`);
  });

  test('of a module that is not there is refused with what was looked for', () => {
    expect(() => findHandler('absent.handler', handlers)).toThrow(
      'there is no absent{.ts,.mts,.js,.mjs,.cjs}',
    );
  });
});

describe('a batch larger than an invocation may carry', () => {
  test('is cut into batches that fit, in order', () => {
    const records = [400, 400, 400, 100].map((length) => record('x'.repeat(length)));
    const batches = splitByPayload(records, 1_000);
    expect(batches.map((batch) => batch.length)).toEqual([2, 2]);
    expect(batches.flat()).toEqual(records);
  });

  test('still carries a message that is too large by itself', () => {
    expect(
      splitByPayload([record('x'.repeat(2_000)), record('y')], 1_000).map((batch) => batch.length),
    ).toEqual([1, 1]);
  });

  test('is counted in bytes, not in characters', () => {
    const records = ['€'.repeat(100), '€'.repeat(100)].map((body) => record(body));
    expect(splitByPayload(records, 600)).toHaveLength(2);
  });
});

describe('a countdown', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('stands still while it is held', () => {
    vi.useFakeTimers();
    const onEnd = vi.fn();
    const countdown = startCountdown(100, onEnd);
    vi.advanceTimersByTime(60);
    countdown.hold();
    vi.advanceTimersByTime(1_000);
    countdown.goOn();
    vi.advanceTimersByTime(39);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test('is not started again by going on without a hold, nor after its end', () => {
    vi.useFakeTimers();
    const onEnd = vi.fn();
    const countdown = startCountdown(100, onEnd);
    countdown.goOn();
    countdown.cancel();
    countdown.hold();
    countdown.goOn();
    vi.advanceTimersByTime(1_000);
    expect(onEnd).not.toHaveBeenCalled();
  });
});

describe('duplicates by seed', () => {
  const bodies = Array.from({ length: 2_000 }, (_, index) => record(`order ${index}`));

  test('are the same for the same seed and others for another', () => {
    const decide = (seed: number) => bodies.map(seededDuplicates({ probability: 0.5, seed }));
    expect(decide(1)).toEqual(decide(1));
    expect(decide(1)).not.toEqual(decide(2));
  });

  test('are as many as asked for, and come within the time asked for', () => {
    const delays = bodies.map(seededDuplicates({ probability: 0.25, seed: 'tea', withinMillis: 50 }));
    const chosen = delays.filter((delay) => delay !== undefined);
    expect(chosen.length).toBeGreaterThan(430);
    expect(chosen.length).toBeLessThan(570);
    expect(Math.min(...chosen)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...chosen)).toBeLessThan(50);
  });

  test('are none at probability 0 and all at 1', () => {
    expect(
      bodies.map(seededDuplicates({ probability: 0, seed: 1 })).every((delay) => delay === undefined),
    ).toBe(true);
    expect(
      bodies.map(seededDuplicates({ probability: 1, seed: 1 })).every((delay) => delay !== undefined),
    ).toBe(true);
  });
});
