import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultRetentionSeconds, durationInWords, fullDays, redeliveryWindow } from '../lib/window.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

describe('the redelivery window', () => {
  it('of a standard queue counts the longer of the two retentions, because the clock keeps running', () => {
    const window = redeliveryWindow({
      retentionSeconds: 4 * day,
      deadLetterRetentionSeconds: 10 * day,
      fifo: false,
      redrives: 0,
      delaySeconds: 0,
      visibilityTimeoutSeconds: 0,
    });
    expect(window.seconds).toBe(10 * day);
  });

  it('of a FIFO queue counts both retentions, because the clock starts anew', () => {
    const window = redeliveryWindow({
      retentionSeconds: 4 * day,
      deadLetterRetentionSeconds: 10 * day,
      fifo: true,
      redrives: 0,
      delaySeconds: 0,
      visibilityTimeoutSeconds: 0,
    });
    expect(window.seconds).toBe(14 * day);
  });

  it('grows by a whole pass with each redrive', () => {
    const path = { retentionSeconds: 4 * day, deadLetterRetentionSeconds: 14 * day, fifo: true };
    const none = redeliveryWindow({ ...path, redrives: 0 }).seconds;
    const three = redeliveryWindow({ ...path, redrives: 3 }).seconds;
    expect(three - none).toBe(3 * 18 * day);
  });

  it('assumes the longest delay and the longest visibility timeout when they are not known', () => {
    const { seconds } = redeliveryWindow({
      retentionSeconds: day,
      deadLetterRetentionSeconds: day,
      fifo: false,
      redrives: 0,
    });
    expect(seconds).toBe(day + 15 * minute + 12 * hour);
  });

  it('tells its sum in words', () => {
    const { explanation } = redeliveryWindow({
      retentionSeconds: 4 * day,
      deadLetterRetentionSeconds: 14 * day,
      fifo: false,
      redrives: 1,
      visibilityTimeoutSeconds: 3 * minute,
    });
    expect(explanation).toBe(
      '14 days (the longer of 4 days in the queue and 14 days in the dead-letter queue, where the clock keeps running)' +
        ' × 2 passes (1 redrive) + 15 minutes of delay + 3 minutes of visibility timeout = 28 days 18 minutes',
    );
  });

  it('never shrinks when any part of the path grows', () => {
    const seconds = fc.nat({ max: 14 * day });
    fc.assert(
      fc.property(
        seconds,
        seconds,
        fc.boolean(),
        fc.nat({ max: 5 }),
        seconds,
        (source, dead, fifo, redrives, more) => {
          const path = { retentionSeconds: source, deadLetterRetentionSeconds: dead, fifo, redrives };
          const before = redeliveryWindow(path).seconds;
          expect(
            redeliveryWindow({ ...path, retentionSeconds: source + more }).seconds,
          ).toBeGreaterThanOrEqual(before);
          expect(
            redeliveryWindow({ ...path, deadLetterRetentionSeconds: dead + more }).seconds,
          ).toBeGreaterThanOrEqual(before);
          expect(redeliveryWindow({ ...path, fifo: true }).seconds).toBeGreaterThanOrEqual(before);
        },
      ),
    );
  });
});

describe('the retention nobody asked for', () => {
  it('is 29 days for standard queues and 57 for FIFO queues', () => {
    expect(defaultRetentionSeconds(false)).toBe(29 * day);
    expect(defaultRetentionSeconds(true)).toBe(57 * day);
  });

  it('is full days, never fewer than asked', () => {
    expect(fullDays(28 * day)).toBe(28 * day);
    expect(fullDays(28 * day + 1)).toBe(29 * day);
  });
});

describe('a duration in words', () => {
  it('leaves out what is zero and says zero when all is', () => {
    expect(durationInWords(0)).toBe('0 seconds');
    expect(durationInWords(1)).toBe('1 second');
    expect(durationInWords(2 * day + hour + 30 * minute)).toBe('2 days 1 hour 30 minutes');
  });
});
