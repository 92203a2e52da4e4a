// Chaos as a stranger runs it: sound consumers come out of it with books that agree, broken ones do not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { crashPointNames } from '../../lib/local/chaos/points.ts';
import type { ReportData } from '../../lib/local/report/data.ts';

const program = join(import.meta.dirname, '../../lib/cli/main.ts');
const shipments = join(import.meta.dirname, 'chaos/shipments');
const check = join(import.meta.dirname, 'chaos/check');

interface Run {
  readonly code: number | null;
  readonly output: string;
  /** The number beside a name of the tables. */
  number(name: string): number;
}

async function runChaos(...args: string[]): Promise<Run> {
  const chaos = spawn(process.execPath, [program, 'chaos', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, complaints, [code]] = await Promise.all([
    text(chaos.stdout),
    text(chaos.stderr),
    once(chaos, 'exit') as Promise<[number | null]>,
  ]);
  const output = stripVTControlCharacters(out + complaints);
  const rows = output.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
  return {
    code,
    output,
    number(name) {
      const row = rows.find(([, first]) => first === name);
      const cell = row?.slice(2).find((one) => /^[\d,]+$/.test(one));
      if (cell === undefined) throw new Error(`no number for ${name} in\n${output}`);
      return Number(cell.replaceAll(',', ''));
    },
  };
}

const small = ['--messages', '100', '--workers', '3', '--seed', '7'];

describe.concurrent('sqs-once chaos', { timeout: 150_000 }, () => {
  test('ends with books that agree, whatever point workers end at', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sqs-once-report-'));
    const report = join(folder, 'out.html');
    try {
      const run = await runChaos(...small, '--report', report);
      expect({ code: run.code, divergences: run.number('divergences') }, run.output).toEqual({
        code: 0,
        divergences: 0,
      });
      for (const point of crashPointNames) expect(run.number(point), point).toBeGreaterThan(0);
      expect(run.number('captures') + run.number('parked'), run.output).toBe(100);
      expect(run.number('kills')).toBeGreaterThan(crashPointNames.length);
      const page = await readFile(report, 'utf8');
      const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
      const data = JSON.parse(json) as ReportData;
      expect(data.stories).toHaveLength(100);
      expect(new Set(data.deaths.map(([, , where]) => where))).toContain('settle-landed');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('ends with books that agree when claims share calls', async () => {
    const run = await runChaos(...small, '--batching');
    expect({ code: run.code, divergences: run.number('divergences') }, run.output).toEqual({
      code: 0,
      divergences: 0,
    });
    expect(run.number('captures') + run.number('parked'), run.output).toBe(100);
  });

  test('keeps the order of a FIFO queue', async () => {
    const run = await runChaos(
      '--messages',
      '40',
      '--seed',
      '7',
      '--fifo',
      '--crash-at',
      'after-claim,settle-landed',
      '--crash-times',
      '2',
    );
    expect({ code: run.code, divergences: run.number('divergences') }, run.output).toEqual({
      code: 0,
      divergences: 0,
    });
  });

  test.each([
    [
      'no-claims',
      ['--duplicate', '0.3', '--kill-worker-mid-handler', '4'],
      /order-\d+ was charged \d+ times/,
    ],
    ['no-fence', ['--duplicate', '0.7', '--pause-workers', '12'], /merchant-\d+ is due \d+ and has \d+/],
    ['ack-first', ['--crash-at', 'in-handler', '--crash-times', '4'], /order-\d+ has 0 captures/],
  ])('finds out a consumer with %s', async (broken, mischief, divergence) => {
    const run = await runChaos(...small, '--broken', broken, ...mischief);
    expect(run.code, run.output).toBe(1);
    expect(run.output).toMatch(divergence);
  });

  describe('on a handler of your own', () => {
    const own = ['--body', `${check}.body`, '--check', `${check}.check`];
    const tables = ['--table', 'shipments:shipmentId', '--table', 'shelves:shelf'];
    const mischief = ['--duplicate', '0.3', '--kill-worker-mid-handler', '4'];

    test('finds nothing where there is nothing to find', async () => {
      const run = await runChaos(
        ...small,
        '--handler',
        `${shipments}.handler`,
        ...own,
        ...tables,
        ...mischief,
      );
      expect({ code: run.code, divergences: run.number('divergences') }, run.output).toEqual({
        code: 0,
        divergences: 0,
      });
      expect(run.number('kills')).toBe(4);
    });

    test('says what its check says, and ends with 1', async () => {
      const run = await runChaos(...small, '--handler', `${shipments}.naive`, ...own, ...tables, ...mischief);
      expect(run.code, run.output).toBe(1);
      expect(run.output).toMatch(/100 parcels were ordered and \d+ went out/);
    });
  });

  test('ends with 2 and a reason when it cannot be run', async () => {
    const wrong = await runChaos('--messages', '0');
    expect({ code: wrong.code, output: wrong.output.trim() }).toEqual({
      code: 2,
      output: '--messages is 0; give a whole number from 1 to 1000000',
    });
    const missing = await runChaos(...small, '--handler', 'nowhere.handler');
    expect(missing.code).toBe(2);
    expect(missing.output).toContain('there is no nowhere');
  });
});
