import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';
import { Command } from 'commander';
import { type DemoOptions, settleDemoOptions } from '../local/demo/plan.ts';
import { performDemo } from './demo-steps.ts';
import { demoTable } from './demo-table.ts';
import { numberOption } from './number-option.ts';
import { errorText } from './visible.ts';

// npm run demo: the main job on a real queue, a real table and real worker processes. A script of the
// repository and no command of the package, for it runs what lies in handlers/.

const exitCodes = { diverged: 1, unfinished: 2 } as const;

const program = new Command('demo')
  .description('Captures payments while messages come twice and workers are killed, then compares the books.')
  .option('--messages <number>', 'orders to capture', numberOption, 200)
  .option('--workers <number>', 'worker processes of each consumer', numberOption, 2)
  .option('--kills <number>', 'workers to kill in the middle of a charge', numberOption, 3)
  .option('--poison <number>', 'orders that cannot succeed until someone acts', numberOption, 0)
  .option('--seed <number>', 'repeats a run (default: another each time)', numberOption)
  .option('--without-claims', 'the naive handler on the same messages', false)
  .addHelpText(
    'after',
    `\nExit codes: 0 when the books agree, ${exitCodes.diverged} when they differ, ${exitCodes.unfinished} when it could not be brought to an end.`,
  )
  .action(async (given: Partial<DemoOptions>) => {
    const options = settleDemoOptions({ seed: randomInt(1_000_000), ...given });
    console.log(`seed ${styleText('bold', String(options.seed))}\n`);
    const { play, verdict } = await performDemo(options);
    console.log(demoTable(options, play, verdict));
    if (verdict.divergences.length > 0) process.exitCode = exitCodes.diverged;
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(errorText(error));
  process.exitCode = exitCodes.unfinished;
}
