import { randomInt } from 'node:crypto';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  brokenNames,
  type ChaosOptions,
  type GivenChaosOptions,
  settleChaosOptions,
  usualMischief,
} from '../local/chaos/options.ts';
import { type CrashPointName, crashPointNames, crashPoints } from '../local/chaos/points.ts';
import { type ChaosResult, performChaos } from './chaos-steps.ts';
import { chaosTable } from './chaos-table.ts';
import { numberOption } from './number-option.ts';
import { errorText } from './visible.ts';

const exitCodes = { diverged: 1, unfinished: 2 } as const;

/** The command line's options, as commander reads them. */
interface Given {
  readonly messages?: number;
  readonly workers?: number;
  readonly seed?: number;
  readonly killWorkerMidHandler?: number | true;
  readonly pauseWorkers?: number | true;
  readonly dropReplies?: number | true;
  readonly duplicate?: number;
  readonly crashAt?: readonly CrashPointName[];
  readonly crashTimes?: number;
  readonly fifo?: boolean;
  readonly batching?: boolean;
  readonly timeout?: number;
  readonly handler?: string;
  readonly body?: string;
  readonly check?: string;
  readonly table?: string[];
  readonly broken?: ChaosOptions['broken'];
  readonly report?: string;
}

/** `sqs-once chaos`: workers die, sleep and lose replies, and in the end the books are compared. */
export function chaosCommand(): Command {
  return new Command('chaos')
    .description(
      'Run a consumer on real processes, a local queue and a local table while they are killed, stopped and cut off, then look for what was lost or done twice. Without any mischief named there is all of it.',
    )
    .option('--messages <number>', 'messages to send', numberOption, 500)
    .option('--workers <number>', 'worker processes', numberOption, 4)
    .option('--seed <number>', 'repeats the plan of a run (default: another each time)', numberOption)
    .option('--kill-worker-mid-handler [times]', 'SIGKILL at random moments of invocations', numberOption)
    .option('--pause-workers [times]', 'SIGSTOP for longer than the lease, then SIGCONT', numberOption)
    .option('--drop-replies [times]', 'calls that land and whose replies are lost', numberOption)
    .option('--duplicate <share>', 'share of the deliveries that come twice, 0 to 1', numberOption)
    .option('--crash-at <points>', 'named points, separated by commas, or all', pointsOption)
    .option('--crash-times <number>', 'workers that end at each named point', numberOption)
    .option('--fifo', 'a FIFO queue')
    .option('--batching', 'the built-in consumer with claims that share calls to the table')
    .option('--timeout <seconds>', 'time a function has, at least 10', numberOption, 12)
    .option('--handler <path.export>', 'your handler instead of the built-in consumer')
    .option('--body <path.export>', "a function from a message's number to its body")
    .option('--check <path.export>', 'a function that is given the messages and answers divergences')
    .option('--table <name:key>', 'a table your handler needs; may be repeated', repeated)
    .addOption(
      new Option(
        '--broken <variant>',
        'a built-in consumer with a guard removed, which must diverge',
      ).choices(brokenNames),
    )
    .option('--report <file>', 'write what happened as a web page')
    .addHelpText('after', help())
    .action(runChaos);
}

async function runChaos(given: Given): Promise<void> {
  try {
    const options = settleChaosOptions(optionsOf(given));
    console.log(`seed ${styleText('bold', String(options.seed))}\n`);
    await performChaos(options, tell, given.report);
  } catch (error) {
    console.error(errorText(error));
    process.exitCode = exitCodes.unfinished;
  }
}

function tell(result: ChaosResult): void {
  console.log(chaosTable(result));
  if (result.divergences.length > 0) process.exitCode = exitCodes.diverged;
  if (result.drained) return;
  process.exitCode = exitCodes.unfinished;
  console.error(styleText('red', 'The queue did not run dry in time.'));
}

function optionsOf(given: Given): GivenChaosOptions {
  const {
    messages = 500,
    killWorkerMidHandler,
    pauseWorkers,
    dropReplies,
    duplicate,
    table,
    timeout,
  } = given;
  const usual = usualMischief(messages);
  const { workers, crashAt, crashTimes, fifo, batching, handler, body, check, broken } = given;
  return {
    messages,
    workers,
    seed: given.seed ?? randomInt(1_000_000),
    kills: killWorkerMidHandler === true ? usual.kills : killWorkerMidHandler,
    pauses: pauseWorkers === true ? usual.pauses : pauseWorkers,
    drops: dropReplies === true ? usual.drops : dropReplies,
    duplicateShare: duplicate,
    crashAt,
    crashTimes,
    fifo,
    batching,
    timeoutSeconds: timeout,
    handler,
    body,
    check,
    tables: table,
    broken,
  };
}

function pointsOption(text: string): readonly CrashPointName[] {
  if (text === 'all') return crashPointNames;
  return text.split(',').map((name) => {
    const found = crashPointNames.find((known) => known === name.trim());
    if (found === undefined)
      throw new InvalidArgumentError(`Give all, or some of ${crashPointNames.join(', ')}.`);
    return found;
  });
}

function repeated(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function help(): string {
  const width = Math.max(...crashPointNames.map((name) => name.length));
  const points = crashPointNames.map((name) => `  ${name.padEnd(width)}  ${crashPoints[name].says}`);
  return [
    '',
    'Points for --crash-at, where a worker ends:',
    ...points,
    '',
    `Exit codes: 0 without divergences, ${exitCodes.diverged} with some, ${exitCodes.unfinished} when it could not be brought to an end.`,
  ].join('\n');
}
