import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import { styleText } from 'node:util';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { isFifoArn } from '../arrive/record.ts';
import { type LocalAws, startLocalAws } from '../local/local-aws.ts';
import { onceEnvironment } from '../local/once-env.ts';
import type { QueuePair } from '../local/queues.ts';
import { startRunner } from '../local/runner.ts';
import { linesOf } from './local-lines.ts';
import { numberOption } from './number-option.ts';

interface LocalOptions {
  readonly handler: string;
  readonly queue: string;
  readonly fifo: boolean;
  readonly workers: number;
  readonly timeout: number;
  readonly batchSize: number;
  readonly visibility?: number;
  readonly table: string;
  readonly dlq: number;
}

/** `sqs-once local`: anyone's handler behind a real queue, on this machine. */
export function localCommand(): Command {
  return new Command('local')
    .description('Run a Lambda handler behind a local queue, with worker processes and a claim table.')
    .requiredOption('--handler <path.export>', 'module without its ending, a dot, and the export')
    .requiredOption('--queue <name>', 'name of the queue to create')
    .option('--fifo', 'make it a FIFO queue', false)
    .option('--workers <number>', 'worker processes', numberOption, 2)
    .option(
      '--timeout <seconds>',
      'time an invocation may take before its worker is killed',
      numberOption,
      30,
    )
    .option('--batch-size <number>', 'messages in a batch', numberOption, 10)
    .option('--visibility <seconds>', 'visibility timeout (default: six times the timeout)', numberOption)
    .option('--table <name>', 'name of the claim table to create', 'claims')
    .option(
      '--dlq <deliveries>',
      'deliveries before SQS moves a message to the dead-letter queue',
      numberOption,
      5,
    )
    .action(runLocally);
}

async function runLocally(options: LocalOptions): Promise<void> {
  const aws = await startLocalAws();
  try {
    const { queue: name, fifo, dlq: maxReceiveCount, workers, batchSize } = options;
    const visibilityTimeoutSeconds = options.visibility ?? 6 * options.timeout;
    const tableName = await aws.createClaimTable(options.table);
    const pair = await aws.createQueuePair({ name, fifo, maxReceiveCount, visibilityTimeoutSeconds });
    const runner = await startRunner({
      aws,
      queueUrl: pair.queueUrl,
      handler: options.handler,
      workers,
      batchSize,
      timeoutSeconds: options.timeout,
      env: onceEnvironment(tableName, pair),
      onEvent(event) {
        for (const line of linesOf(event, new Date(), maxReceiveCount)) console.log(line);
      },
    });
    console.log(introduction(aws, pair, tableName));
    const interrupted = nextInterrupt();
    const typed = sendTypedLines(aws, pair);
    await interrupted;
    typed.close();
    console.log('Waiting for running invocations; Ctrl-C again ends them.');
    void nextInterrupt().then(() => process.exit(130));
    await runner.stop();
  } finally {
    await aws.stop();
  }
}

function nextInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function introduction(aws: LocalAws, pair: QueuePair, tableName: string): string {
  const bold = (text: string) => styleText('bold', text);
  const settings = Object.entries(aws.env).map(([name, value]) => `  export ${name}=${value}`);
  const group = isFifoArn(pair.queueArn) ? ' --message-group-id local' : '';
  return [
    `${bold('queue')}              ${pair.queueUrl}`,
    `${bold('dead-letter queue')}  ${pair.deadLetterQueueUrl}`,
    `${bold('claim table')}        ${tableName}`,
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

function sendTypedLines(aws: LocalAws, pair: QueuePair): Interface {
  const fifo = isFifoArn(pair.queueArn);
  const typed = createInterface({ input: process.stdin });
  typed.on('line', async (line) => {
    if (line.trim() === '') return;
    // Typed twice is meant twice, which a FIFO queue would take for one.
    const place = fifo ? { MessageGroupId: 'local', MessageDeduplicationId: randomUUID() } : {};
    const send = new SendMessageCommand({ QueueUrl: pair.queueUrl, MessageBody: line, ...place });
    try {
      await aws.sqs().send(send);
    } catch (error) {
      console.error(styleText('red', `Not sent: ${(error as Error).message}`));
    }
  });
  return typed;
}
