import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { dirname, sep } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { styleText } from 'node:util';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Command, InvalidArgumentError } from 'commander';
import { isFifoArn } from '../arrive/record.ts';
import { seededDuplicates } from '../local/duplicates.ts';
import { findHandler } from '../local/handler-file.ts';
import { type LocalAws, startLocalAws } from '../local/local-aws.ts';
import type { QueuePair } from '../local/queues.ts';
import { type Runner, startRunner } from '../local/runner.ts';
import { localLines } from './local-lines.ts';
import { linesToSend } from './local-send.ts';
import { type LocalOptions, type LocalWorld, localWorld } from './local-world.ts';
import { numberOption } from './number-option.ts';

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
    .option('--workers <number>', 'worker processes', numberOption, 2)
    .option(
      '--timeout <seconds>',
      "time an invocation may take before its worker is killed (default: 30, or the template's)",
      numberOption,
    )
    .option('--batch-size <number>', "messages in a batch (default: 10, or the template's)", numberOption)
    .option('--visibility <seconds>', 'visibility timeout (default: six times the timeout)', numberOption)
    .option('--table <name>', 'name of the claim table to create', 'claims')
    .option(
      '--dlq <deliveries>',
      'deliveries before SQS moves a message to the dead-letter queue',
      numberOption,
      5,
    )
    .option('--duplicate <share>', 'share of the deliveries that come twice, 0 to 1', shareOption)
    .option('--send <file>', 'send each line of a file of JSON lines as a message')
    .option('--watch', "start the workers anew when a file in the handler's folder changes")
    .action(runLocally);
}

function shareOption(text: string): number {
  const share = Number(text);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError('Give a number from 0 to 1.');
  return share;
}

async function runLocally(options: LocalOptions): Promise<void> {
  const toSend = options.send === undefined ? [] : await linesToSend(options.send);
  const aws = await startLocalAws();
  try {
    const world = await localWorld(aws, options);
    let runner = await start(aws, world, options);
    console.log(introduction(aws, world));
    const interrupted = nextInterrupt();
    const typed = sendTypedLines(aws, world.pair);
    for (const line of toSend) await send(aws, world.pair, line);
    if (options.send !== undefined) console.log(dim(`${toSend.length} messages of ${options.send} sent`));
    const stopWatching = options.watch
      ? watchHandler(world.handler, async () => {
          await runner.stop();
          runner = await start(aws, world, options);
          console.log(dim('new workers are ready'));
        })
      : undefined;
    await interrupted;
    await stopWatching?.();
    typed.close();
    console.log('Waiting for running invocations; Ctrl-C again ends them.');
    void nextInterrupt().then(() => process.exit(130));
    await runner.stop();
  } finally {
    await aws.stop();
  }
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

/** An editor writes a file in several steps; what settles within this time is one change. */
const settledMillis = 150;

/** Restarts one after the other; the answer ends the watch when the last one is through. */
function watchHandler(handler: string, restart: () => Promise<void>): () => Promise<void> {
  let pending: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const watcher = watch(dirname(findHandler(handler).file), { recursive: true }, (_, name) => {
    if (name === null || `${sep}${name}`.includes(`${sep}node_modules${sep}`)) return;
    clearTimeout(pending);
    pending = setTimeout(() => {
      console.log(dim(`${name} changed, workers start anew`));
      last = last.then(restart).catch((error: Error) => console.error(styleText('red', error.message)));
    }, settledMillis);
  });
  return () => {
    clearTimeout(pending);
    watcher.close();
    return last;
  };
}

function nextInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function introduction(aws: LocalAws, { pair, tableName, unknown }: LocalWorld): string {
  const bold = (text: string) => styleText('bold', text);
  const settings = Object.entries(aws.env).map(([name, value]) => `  export ${name}=${value}`);
  const group = isFifoArn(pair.queueArn) ? ' --message-group-id local' : '';
  return [
    `${bold('queue')}              ${pair.queueUrl}`,
    `${bold('dead-letter queue')}  ${pair.deadLetterQueueUrl}`,
    `${bold('claim table')}        ${tableName}`,
    ...(unknown.length > 0
      ? [`${bold('not set')}            ${unknown.join(', ')}: only AWS knows their values`]
      : []),
    '',
    'Type a message here and press Enter, or send it from another terminal:',
    '',
    ...settings,
    `  aws sqs send-message --queue-url ${pair.queueUrl} --message-body '{}'${group}`,
    '',
    'Ctrl-C ends everything.',
    '',
  ].join('\n');
}

async function send(aws: LocalAws, { queueUrl, queueArn }: QueuePair, line: string): Promise<void> {
  // Sent twice is meant twice, which a FIFO queue would take for one.
  const place = isFifoArn(queueArn) ? { MessageGroupId: 'local', MessageDeduplicationId: randomUUID() } : {};
  await aws.sqs().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: line, ...place }));
}

function sendTypedLines(aws: LocalAws, pair: QueuePair): Interface {
  const typed = createInterface({ input: process.stdin });
  let last = Promise.resolve();
  typed.on('line', (line) => {
    if (line.trim() === '') return;
    // One after the other: a FIFO queue keeps the order in which they reach it, not that of a pasted text.
    last = last
      .then(() => send(aws, pair, line))
      .catch((error: Error) => console.error(styleText('red', `Not sent: ${error.message}`)));
  });
  return typed;
}
