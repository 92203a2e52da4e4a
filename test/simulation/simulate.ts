import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { styleText } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { numberOption } from '../../lib/cli/number-option.ts';
import type { Part, PartDone } from './simulate-thread.ts';

// npm run simulate -- --worlds 100000: whole worlds in which everything goes wrong that can. A script of the
// repository, for it runs what lies in test/.

interface Options {
  readonly worlds: number;
  readonly seed: number;
  readonly threads: number;
  readonly path?: string;
}

const worldsAtATime = 500;

new Command('simulate')
  .description('Runs whole worlds, each drawn from a seed, and holds every law to every step of them.')
  .option('--worlds <number>', 'worlds to run', numberOption, 1_000)
  .option('--seed <number>', 'repeats a run (default: another each time)', numberOption)
  .option('--path <path>', 'with the seed, the one world of a report')
  .option('--threads <number>', 'worlds at a time', numberOption, Math.max(1, availableParallelism() - 1))
  .addHelpText('after', '\nExit codes: 0 when every law held, 1 when one was broken.')
  .action(async (given: Partial<Options>) => {
    const options = { worlds: 1_000, seed: randomInt(0x7fffffff), threads: 1, ...given };
    console.log(`seed ${styleText('bold', String(options.seed))}`);
    const report = await simulate(options);
    if (report === undefined) return;
    console.log(`\n\n${report}`);
    process.exitCode = 1;
  })
  .parse();

/**
 * Runs the parts of a run beside each other; the first broken law ends it. Each part has a thread of its own: what
 * crashed processes leave behind in the modules of a thread is more than one process ever would.
 */
async function simulate({ worlds, seed, threads, path }: Options): Promise<string | undefined> {
  const parts: Part[] =
    path === undefined
      ? Array.from({ length: Math.ceil(worlds / worldsAtATime) }, (_, place) => ({
          seed: seed + place,
          worlds: Math.min(worldsAtATime, worlds - place * worldsAtATime),
        }))
      : [{ seed, worlds: 1, path }];
  const startedAt = performance.now();
  let done = 0;
  let report: string | undefined;
  const work = async () => {
    for (let part = parts.shift(); part !== undefined && report === undefined; part = parts.shift()) {
      const answer = await inThread(part);
      report ??= answer.report;
      done += part.worlds;
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stdout.write(`\r${done} of ${worlds} worlds, ${(done / seconds).toFixed(0)} a second `);
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, parts.length) }, work));
  process.stdout.write('\n');
  return report;
}

async function inThread(part: Part): Promise<PartDone> {
  const thread = new Worker(new URL('./simulate-thread.ts', import.meta.url), { workerData: part });
  const [done] = await once(thread, 'message');
  await thread.terminate();
  return done as PartDone;
}
