import { Command, InvalidArgumentError } from 'commander';
import { durationInWords, fullDays, longestQueueRetentionSeconds, redeliveryWindow } from '../window.ts';
import { durationOption } from './duration-option.ts';

interface WindowOptions {
  readonly retention: number;
  readonly dlq: number;
  readonly redrives: number;
  readonly fifo: boolean;
}

/** `sqs-once window`: how long claims have to be kept, and why. */
export function windowCommand(): Command {
  return new Command('window')
    .description('How long claims have to be kept, so that none is forgotten while SQS can still deliver.')
    .requiredOption(
      '--retention <duration>',
      'how long the queue keeps a message, such as 4d',
      queueRetention,
    )
    .requiredOption(
      '--dlq <duration>',
      'how long the dead-letter queue keeps a message, such as 14d',
      queueRetention,
    )
    .option('--redrives <number>', 'how many times a message may be brought back', redrivesOption, 1)
    .option('--fifo', 'the two are FIFO queues', false)
    .action(printWindow);
}

function printWindow({ retention, dlq, redrives, fifo }: WindowOptions): void {
  const { seconds, explanation } = redeliveryWindow({
    retentionSeconds: retention,
    deadLetterRetentionSeconds: dlq,
    redrives,
    fifo,
  });
  const kept = fullDays(seconds);
  console.log(
    [
      explanation,
      '',
      `Keep claims for ${durationInWords(kept)}: retentionSeconds: ${kept}, or SQS_ONCE_RETENTION_SECONDS=${kept}.`,
      'Every touch of a claim starts this time anew, so further redrives are covered as long as a consumer sees each.',
    ].join('\n'),
  );
}

/** SQS keeps messages for a minute to fourteen days. */
function queueRetention(text: string): number {
  const seconds = durationOption(text);
  if (seconds < 60 || seconds > longestQueueRetentionSeconds) {
    throw new InvalidArgumentError('SQS keeps messages for 60s to 14d.');
  }
  return seconds;
}

function redrivesOption(text: string): number {
  const redrives = Number(text);
  if (!/^\d+$/.test(text) || redrives > 1_000)
    throw new InvalidArgumentError('Give a whole number from 0 to 1000.');
  return redrives;
}
