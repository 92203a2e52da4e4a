import { Command } from 'commander';
import { claimReader } from '../redrive/claims.ts';
import { type Look, look } from '../redrive/look.ts';
import { findEmptiable } from '../redrive/queue.ts';
import { selectsAll } from '../redrive/selection.ts';
import { claimTable, sqsClient } from './clients.ts';
import { isConfirmed } from './confirm.ts';
import { viewOf } from './dead-letter-view.ts';
import { tableOf } from './dlq-list.ts';
import {
  type ClaimOptions,
  countOption,
  type SelectionOptions,
  selectionOf,
  withClaims,
  withSelection,
} from './dlq-options.ts';
import { exitCode } from './exit-code.ts';
import { interrupted } from './interrupted.ts';
import { counted } from './texts.ts';
import { jsonText, visible } from './visible.ts';

interface DropOptions extends SelectionOptions, ClaimOptions {
  readonly limit: number;
  readonly yes?: true;
}

/** A person decides while the messages are held. */
const holdSeconds = 300;

export function dlqDropCommand(): Command {
  const command = new Command('drop')
    .description('Delete messages from a dead-letter queue for good. Asks first.')
    .argument('<queue>', 'URL or name of the dead-letter queue')
    .option('--limit <number>', 'at most so many messages', countOption, 1_000)
    .option('--yes', 'do not ask');
  return withClaims(withSelection(command)).action(drop);
}

async function drop(queueName: string, options: DropOptions): Promise<void> {
  if (!options.yes && !process.stdin.isTTY) {
    throw new Error('drop asks, and there is nobody to answer; give --yes');
  }
  const sqs = sqsClient();
  const queue = await findEmptiable(sqs, queueName, 'drop');
  const selection = selectionOf(options);
  const looked = await look({
    sqs,
    queue,
    readClaim: claimReader(await claimTable(options.table)),
    selection,
    scope: options.scope,
    limit: options.limit,
    signal: interrupted(),
    holdSeconds,
  });
  const views = looked.found.map(({ letter, name, claim }) => viewOf(letter, name, claim, Date.now()));
  if (!options.json && views.length > 0) console.log(tableOf(views));
  const question = `Delete ${counted(views.length, 'message')} from ${queue.name} for good?`;
  const meant = options.yes || (views.length > 0 && (await isConfirmed(question)));
  const failures = meant ? await removeAll(looked) : new Map<string, string>();
  const unseen = await looked.pass.end();
  const dropped = meant ? views.length - failures.size : 0;
  process.exitCode = codeOf(views.length, failures.size, selectsAll(selection));
  if (options.json) {
    const messages = views.map((view) => ({ ...view, error: failures.get(view.messageId) }));
    console.log(jsonText({ queue: queue.url, dropped, messages, unseen }));
    return;
  }
  for (const [messageId, why] of failures) console.error(visible(`${messageId} was not dropped: ${why}`));
  console.log(visible(`Dropped ${counted(dropped, 'message')} of ${queue.name}.`));
}

async function removeAll({ found, pass }: Look): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  for (const { letter } of found) {
    try {
      await pass.remove(letter);
    } catch (error) {
      failures.set(letter.messageId, error instanceof Error ? error.message : String(error));
    }
  }
  return failures;
}

function codeOf(selected: number, failed: number, all: boolean): number {
  if (failed > 0) return exitCode.partly;
  return selected === 0 && !all ? exitCode.notFound : exitCode.done;
}
