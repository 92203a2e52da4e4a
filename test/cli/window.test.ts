// sqs-once window: how long claims have to be kept.
import { describe, expect, test } from 'vitest';
import { windowCommand } from '../../lib/cli/window.ts';
import { runCommand } from './run-command.ts';

const cli = (_window: string, ...args: string[]) => runCommand(windowCommand(), args);

describe('sqs-once window', () => {
  test('prints the sum and the reasoning', async () => {
    const { code, out } = await cli('window', '--retention', '4d', '--dlq', '14d', '--redrives', '1');
    expect(code).toBe(0);
    expect(out).toContain('14 days');
    expect(out).toContain('= 28 days 12 hours 15 minutes');
    expect(out).toContain('retentionSeconds: 2505600');
  });

  test('of a FIFO queue adds the dead-letter queue’s own clock', async () => {
    const { out } = await cli('window', '--retention', '1d12h', '--dlq', '14d', '--redrives', '0', '--fifo');
    expect(out).toContain('1 day 12 hours');
    expect(out).toContain('= 16 days 15 minutes');
  });

  test.each([['4x'], ['15d'], ['4'], ['-1d']])('refuses %s', async (retention) => {
    const { code, err } = await cli('window', `--retention=${retention}`, '--dlq', '14d');
    expect(code).toBe(1);
    expect(err).toMatch(/Give a number with its unit|SQS keeps messages for/);
  });
});
