import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { isFifoArn } from '../arrive/record.ts';
import { seededDuplicates } from '../local/duplicates.ts';
import { findHandler } from '../local/handler-file.ts';
import { type LocalAws, startLocalAws } from '../local/local-aws.ts';
import { type Runner, startRunner } from '../local/runner.ts';
import { localLines } from './local-lines.ts';
import { refuseOptions } from './local-refusals.ts';
import { linesToSend, type Place, placeOf, sendLine, sendTypedLines } from './local-send.ts';
import { watchProject } from './local-watch.ts';
import { type LocalOptions, type LocalWorld, localWorld } from './local-world.ts';
import { numberOption } from './number-option.ts';
import { errorText } from './visible.ts';

/**
 * As the construct gives. Five attempts need 15 at the least, as the doctor says: duplicates that are given back
 * and messages asked for later cost receives too, and what fails on its last delivery is parked as that.
 */
const usualMaxReceiveCount = 50;

const dim = (text: string) => styleText('dim', text);

/** `sqs-once local`: anyone's handler behind a real queue, on this machine. */
export function localCommand(): Command {
  return new Command('local')
    .description('Run a Lambda handler behind a local queue, with worker processes and a claim table.')
    .option('--handler <path.export>', 'module without its ending, a dot, and the export')
    .option('--queue <name>', 'name of the queue to create')
    .option(
      '--template <file>',
      'a synthesized stack: its queues, tables and function, such as cdk.out/Shop.template.json',
    )
    .option('--consumer <id>', "begin of the function's logical id, where the template has several consumers")
    .option('--fifo', 'make it a FIFO queue', false)
    .option('--group <field>', "FIFO: the body's field that names its group (default: one group for all)")
    .option('--workers <number>', 'worker processes', numberOption, 2)
    .option(
      '--timeout <seconds>',
      "time an invocation may take before its worker is killed (default: 30, or the template's)",
      numberOption,
    )
    .option('--batch-size <number>', "messages in a batch (default: 10, or the template's)", numberOption)
    .option('--visibility <seconds>', 'visibility timeout (default: six times the timeout)', numberOption)
    .option('--table <name>', 'name of the claim table to create', 'claims')
    .option('--more-table <name:key>', 'a table your handler writes to; may be repeated', repeated)
    .option(
      '--more-queue <name:VARIABLE>',
      'a queue your handler sends to, and the variable it finds its URL in; may be repeated',
      repeated,
    )
    .option(
      '--dlq <deliveries>',
      'deliveries before SQS moves a message to the dead-letter queue',
      numberOption,
      usualMaxReceiveCount,
    )
    .option('--duplicate <share>', 'share of the deliveries that come twice, 0 to 1', shareOption)
    .option('--send <file>', 'send each line of a file of JSON lines as a message')
    .option('--watch', "start the workers anew when a source file of the handler's project changes")
    .action(runLocally);
}

function repeated(text: string, given: readonly string[] = []): readonly string[] {
  return [...given, text];
}

function shareOption(text: string): number {
  const share = Number(text);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('Give a number from 0 to 1.');
  return share;
}

async function runLocally(options: LocalOptions): Promise<void> {
  refuseOptions(options);
  const toSend = options.send === undefined ? [] : linesToSend(options.send);
  const aws = await startLocalAws();
  try {
    const world = await localWorld(aws, options);
    const place = placeOf(aws, world.pair, options.group);
    let runner = await start(aws, world, options);
    console.log(introduction(aws, world));
    const interrupted = nextInterrupt();
    const typed = sendTypedLines(place);
    await sendAll(place, toSend, options.send);
    const watching = options.watch
      ? watchProject(findHandler(world.handler).file, async (changed) => {
          console.log(dim(`${changed} changed, workers start anew`));
          try {
            await runner.stop();
            runner = await start(aws, world, options);
            console.log(dim('new workers are ready'));
          } catch (error) {
            console.error(errorText(error));
          }
        })
      : undefined;
    await interrupted;
    await watching?.stop();
    typed.close();
    console.log('Waiting for running invocations; Ctrl-C again ends them.');
    void nextInterrupt().then(() => process.exit(130));
    await runner.stop();
  } finally {
    await aws.stop();
  }
}

async function sendAll(place: Place, lines: readonly string[], file: string | undefined): Promise<void> {
  for (const line of lines) await sendLine(place, line);
  if (file !== undefined) console.log(dim(`${lines.length} messages of ${file} sent`));
}

function start(aws: LocalAws, world: LocalWorld, { workers, duplicate }: LocalOptions): Promise<Runner> {
  const { pair, maxReceiveCount, tableName: _, unknown: __, ...settings } = world;
  const lines = localLines(maxReceiveCount);
  return startRunner({
    ...settings,
    aws,
    queueUrl: pair.queueUrl,
    workers,
    ...(duplicate !== undefined
      ? { duplicate: seededDuplicates({ probability: duplicate, seed: 'local' }) }
      : {}),
    onEvent(event) {
      for (const line of lines(event, new Date())) console.log(line);
    },
  });
}

function nextInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function introduction(aws: LocalAws, { pair, tableName, unknown, env }: LocalWorld): string {
  const bold = (text: string) => styleText('bold', text);
  const table = env.SQS_ONCE_TABLE === undefined ? {} : { SQS_ONCE_TABLE: env.SQS_ONCE_TABLE };
  const settings = Object.entries({ ...aws.env, ...table }).map(
    ([name, value]) => `  export ${name}=${value}`,
  );
  const group = isFifoArn(pair.queueArn) ? ' --message-group-id local' : '';
  return [
    `${bold('queue')}              ${pair.queueUrl}`,
    `${bold('dead-letter queue')}  ${pair.deadLetterQueueUrl}`,
    `${bold('claim table')}        ${tableName}`,
    ...(unknown.length > 0
      ? [`${bold('not set')}            ${unknown.join(', ')}: only AWS knows their values`]
      : []),
    '',
    'Type a message here and press Enter. From another terminal, messages are sent and parked ones looked at so:',
    '',
    ...settings,
    `  aws sqs send-message --queue-url ${pair.queueUrl} --message-body '{}'${group}`,
    `  npx sqs-once dlq list ${pair.deadLetterQueueUrl.split('/').at(-1)}`,
    '',
    'Ctrl-C ends everything.',
    '',
  ].join('\n');
}
