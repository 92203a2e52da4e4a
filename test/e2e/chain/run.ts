// npm run chain: the figures at full size, on real worker processes, once for each way to claim.
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { numberOption } from '../../../lib/cli/number-option.ts';
import { startLocalAws } from '../../../lib/local/local-aws.ts';
import { type Chain, type HopReport, runChain } from './chain.ts';

interface Given {
  readonly messages: number;
  readonly kills: number;
  readonly workers: number;
  readonly seed?: number;
}

/** Far more than a message takes, so that only a chain that stands still is given up. */
const millisPerMessage = 250;

const program = new Command('chain')
  .option('--messages <number>', 'orders at the beginning of the chain', numberOption, 5_000)
  .option('--kills <number>', 'workers to kill, over all three hops', numberOption, 100)
  .option('--workers <number>', 'worker processes of each hop', numberOption, 2)
  .option('--seed <number>', 'repeats the plan of a run (default: another each time)', numberOption)
  .action(async (given: Given) => {
    const seed = given.seed ?? randomInt(1_000_000);
    console.log(`seed ${seed}`);
    const aws = await startLocalAws();
    try {
      for (const claim of ['first', 'with-commit'] as const) {
        const startedAt = performance.now();
        const withinMillis = 60_000 + given.messages * millisPerMessage;
        const chain = await runChain(aws, { ...given, claim, seed, withinMillis });
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        console.log(`\nclaim '${claim}', ${given.messages} messages, ${seconds} s:`);
        show(chain);
        if (killsOf(chain) < given.kills || chain.divergences.length > 0) process.exitCode = 1;
      }
    } finally {
      await aws.stop();
    }
  });

await program.parseAsync();

function show(chain: Chain): void {
  console.table(Object.fromEntries([...chain.hops].map(([hop, report]) => [hop, figuresOf(report)])));
  for (const divergence of chain.divergences.slice(0, 20)) console.log(divergence);
  console.log(`${killsOf(chain)} workers killed, ${chain.divergences.length} divergences`);
}

function killsOf({ hops }: Chain): number {
  return [...hops.values()].reduce((sum, { kills, crashes }) => sum + kills + crashes, 0);
}

function figuresOf({ tally, kills, crashes }: HopReport) {
  return {
    deliveries: tally.deliveries,
    redeliveries: tally.redeliveries,
    completed: tally.told('completed'),
    'taken over': tally.told('taken-over'),
    duplicates: tally.told('duplicate'),
    'in flight': tally.told('in-flight'),
    'fenced out': tally.told('fenced-out'),
    failed: tally.told('failed'),
    'follow-ups sent': tally.told('follow-up-sent'),
    timeouts: tally.timeouts,
    'killed anywhere': kills,
    'killed at a point': crashes,
  };
}
