import { Command } from 'commander';
import { claimNameOf } from '../redrive/claim-name.ts';
import { claimReader } from '../redrive/claims.ts';
import { countsOf, findEmptiable, findTarget } from '../redrive/queue.ts';
import { type Redriven, redrive } from '../redrive/redrive.ts';
import { selectsAll } from '../redrive/selection.ts';
import { claimTable, sqsClient } from './clients.ts';
import { type DeadLetterView, viewOf } from './dead-letter-view.ts';
import {
  type ClaimOptions,
  countOption,
  rateOption,
  type SelectionOptions,
  selectionOf,
  withClaims,
  withSelection,
} from './dlq-options.ts';
import { exitCode } from './exit-code.ts';
import { interrupted } from './interrupted.ts';
import { withProgress } from './progress.ts';
import { counted, rowsTable } from './texts.ts';
import { jsonText } from './visible.ts';

interface RedriveOptions extends SelectionOptions, ClaimOptions {
  readonly limit?: number;
  readonly rate?: number;
  readonly dryRun?: true;
  readonly newEffects?: true;
  readonly to?: string;
}

export function dlqRedriveCommand(): Command {
  const command = new Command('redrive')
    .description('Bring messages back from a dead-letter queue. Safe to end at any moment and to run again.')
    .argument('<queue>', 'URL or name of the dead-letter queue')
    .option('--limit <number>', 'at most so many messages', countOption)
    .option('--rate <number>', 'at most so many messages a second', rateOption)
    .option('--dry-run', 'only say what would be done')
    .option(
      '--new-effects',
      'give the messages new effect keys: providers will do again what they did before',
    )
    .option('--to <queue>', 'URL or name of the queue to go back to (default: where each message came from)');
  return withClaims(withSelection(command)).action(run);
}

/** What became of a message, for the report. */
interface Line extends DeadLetterView {
  readonly outcome: string;
  readonly error: string | undefined;
}

async function run(queueName: string, options: RedriveOptions): Promise<void> {
  const sqs = sqsClient();
  const queue = await findEmptiable(sqs, queueName, 'redrive');
  const to = options.to === undefined ? undefined : await findTarget(sqs, queue, options.to);
  const store = await claimTable(options.table);
  const selection = selectionOf(options);
  if (options.newEffects) console.error(newEffectsWarning);
  if (store === undefined)
    console.error('No claim table is named, so messages whose work is done go back too.');

  const { visible, inFlight } = await countsOf(sqs, queue.url);
  const lines: Line[] = [];
  const tally: Tally = { redriven: 0, dropped: 0, failed: 0 };
  const total = Math.min(visible + inFlight, options.limit ?? Number.POSITIVE_INFINITY);
  const unseen = await withProgress(`Redrive ${queue.name}`, total, options, (advance) =>
    redrive({
      sqs,
      queue,
      readClaim: claimReader(store),
      selection,
      scope: options.scope,
      to,
      limit: options.limit,
      ratePerSecond: options.rate,
      effects: options.newEffects ? Date.now() : undefined,
      dryRun: options.dryRun === true,
      onOutcome(outcome) {
        lines.push(lineOf(outcome, options.scope));
        tally[kindOf(outcome)] += 1;
        advance(lines.length, summaryOf(tally));
      },
      signal: interrupted(),
    }),
  );
  report(queue.url, lines, tally, unseen, options);
  const full = options.limit !== undefined && lines.length >= options.limit;
  process.exitCode = codeOf(lines, full ? 0 : unseen, selectsAll(selection));
}

const newEffectsWarning =
  'With new effect keys a provider cannot tell that it did an effect before: a charge that went through is made again. Redrive so only what you looked up at the provider.';

function lineOf({ letter, claim, plan, status, error }: Redriven, scope: string | undefined): Line {
  const view = viewOf(letter, claimNameOf(letter, scope), claim, Date.now());
  const verb = status === 'planned' ? 'would be ' : '';
  const done = plan.action === 'send' ? `${verb}redriven` : `${verb}dropped: its work is ${plan.why}`;
  return { ...view, outcome: status === 'failed' ? 'failed' : done, error: error?.message };
}

type Tally = Record<'redriven' | 'dropped' | 'failed', number>;

function kindOf({ status, plan }: Redriven): keyof Tally {
  if (status === 'failed') return 'failed';
  return plan.action === 'send' ? 'redriven' : 'dropped';
}

function summaryOf({ redriven, dropped, failed }: Tally): string {
  return `${redriven} redriven, ${dropped} dropped, ${failed} failed`;
}

function report(
  queueUrl: string,
  lines: readonly Line[],
  tally: Tally,
  unseen: number,
  options: RedriveOptions,
): void {
  const dryRun = options.dryRun === true;
  if (options.json) {
    console.log(jsonText({ queue: queueUrl, dryRun, ...tally, unseen, messages: lines }));
    return;
  }
  const told = dryRun ? lines : lines.filter(({ outcome }) => outcome !== 'redriven');
  if (told.length > 0) {
    console.log(
      rowsTable(
        ['message', 'key hash', 'reason', 'claim now', 'outcome'],
        told.map((line) => [
          line.messageId,
          line.keyHash ?? '',
          line.reason,
          line.claim,
          line.error === undefined ? line.outcome : `${line.outcome}: ${line.error}`,
        ]),
      ),
    );
  }
  const would = dryRun ? 'Nothing was changed. What would be done with ' : '';
  console.log(`${would}${counted(lines.length, 'message')}: ${summaryOf(tally)}.`);
  if (unseen > 0) console.log(`The queue may hold about ${unseen} more; run the command again.`);
}

function codeOf(lines: readonly Line[], unseen: number, all: boolean): number {
  if (unseen > 0 || lines.some(({ outcome }) => outcome === 'failed')) return exitCode.partly;
  return lines.length === 0 && !all ? exitCode.notFound : exitCode.done;
}
