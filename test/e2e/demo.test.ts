// The demo as a stranger runs it: the books agree with claims and never without, and nothing is left running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { descendants, gone, type ProcessLine } from '../local/processes.ts';

const demo = join(import.meta.dirname, '../../lib/cli/demo.ts');

interface Run {
  readonly code: number | null;
  readonly output: string;
  /** What it started and still runs. */
  readonly left: readonly ProcessLine[];
  /** The number at the end of a row of the table. */
  last(label: string): number;
}

async function runDemo(...args: string[]): Promise<Run> {
  const program = spawn(process.execPath, [demo, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const family = new Map<number, ProcessLine>();
  const watch = setInterval(() => {
    for (const line of descendants(program.pid ?? 0)) family.set(line.pid, line);
  }, 500);
  const [out, complaints, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'exit') as Promise<[number | null]>,
  ]);
  clearInterval(watch);
  const output = stripVTControlCharacters(out + complaints);
  const rows = output.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
  return {
    code,
    output,
    left: await gone([...family.values()]),
    last(label) {
      const row = rows.find(([, name]) => name === label);
      if (row === undefined) throw new Error(`no row ${label} in\n${output}`);
      return Number(row.findLast((cell) => cell !== ''));
    },
  };
}

const small = ['--messages', '60', '--kills', '1', '--seed', '7'];

describe.concurrent('npm run demo', { timeout: 90_000 }, () => {
  test('ends with books that agree, though workers were killed and messages came twice', async () => {
    const run = await runDemo(...small, '--poison', '3');
    expect(run.output).toContain('seed 7');
    expect({ divergences: run.last('divergences'), code: run.code }, run.output).toEqual({
      divergences: 0,
      code: 0,
    });
    expect([run.last('gateway charges'), run.last('captures')]).toEqual([60, 60]);
    expect([run.last('parked'), run.last('redriven')]).toEqual([3, 3]);
    expect(run.last('workers killed')).toBe(1);
    // What was charged by the killed worker was asked for again, under the same key.
    expect(run.last('gateway calls')).toBeGreaterThan(60);
    expect(run.last('duplicates answered')).toBeGreaterThan(0);
    expect(run.output).toMatch(/out of order, nothing applied: late: .*"voided" is out of reach/);
    expect(run.left).toEqual([]);
  });

  test('shows that the naive handler charges twice', async () => {
    const run = await runDemo(...small, '--without-claims');
    expect(run.code, run.output).toBe(1);
    expect(run.last('divergences')).toBeGreaterThan(0);
    expect(run.last('gateway charges')).toBeGreaterThan(60);
    expect(run.output).toMatch(/\d+ of 60 orders were charged more than once/);
    expect(run.left).toEqual([]);
  });

  test('says what is wrong with an option, and that it did not run', async () => {
    const run = await runDemo('--messages', 'many');
    expect(run.code).not.toBe(0);
    const refused = await runDemo('--messages', '10', '--kills', '9');
    expect(refused.code).toBe(2);
    expect(refused.output).toContain('kills is 9; give a whole number from 0 to 5');
  });
});
