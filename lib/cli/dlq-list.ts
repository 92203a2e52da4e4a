import { Command } from 'commander';
import { claimReader } from '../redrive/claims.ts';
import { look } from '../redrive/look.ts';
import { type DeadLetterQueue, findQueue } from '../redrive/queue.ts';
import { claimTable, sqsClient } from './clients.ts';
import { type DeadLetterView, viewOf } from './dead-letter-view.ts';
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
import { counted, roughly, rowsTable } from './texts.ts';
import { jsonText, visible } from './visible.ts';

interface ListOptions extends SelectionOptions, ClaimOptions {
  readonly limit: number;
}

export function dlqListCommand(): Command {
  const command = new Command('list')
    .description('What lies in a dead-letter queue, and where its claims stand now.')
    .argument('<queue>', 'URL or name of the dead-letter queue')
    .option('--limit <number>', 'at most so many messages', countOption, 1_000);
  return withClaims(withSelection(command)).action(list);
}

async function list(queueName: string, options: ListOptions): Promise<void> {
  const sqs = sqsClient();
  const queue = await findQueue(sqs, queueName);
  const { found, pass } = await look({
    sqs,
    queue,
    readClaim: claimReader(await claimTable(options.table)),
    selection: selectionOf(options),
    scope: options.scope,
    limit: options.limit,
    signal: interrupted(),
  });
  const unseen = await pass.end();
  const nowMillis = Date.now();
  const views = found.map(({ letter, name, claim }) => viewOf(letter, name, claim, nowMillis));
  const full = found.length >= options.limit;
  if (unseen > 0 && !full) process.exitCode = exitCode.partly;
  if (options.json) console.log(jsonText({ queue: queue.url, messages: views, unseen }));
  else console.log([tableOf(views), '', ...notesOf(queue, views, unseen, full).map(visible)].join('\n'));
}

export function tableOf(views: readonly DeadLetterView[]): string {
  return rowsTable(
    ['message', 'age', 'key hash', 'reason', 'attempts', 'claim now', 'comes back as'],
    views.map((view) => [
      view.messageId,
      roughly(view.ageSeconds),
      view.keyHash ?? '',
      view.reason,
      view.attempts?.toString() ?? '',
      view.claim,
      view.comesBackAs,
    ]),
  );
}

function notesOf(
  queue: DeadLetterQueue,
  views: readonly DeadLetterView[],
  unseen: number,
  full: boolean,
): string[] {
  const notes = [
    `${counted(views.length, 'message')} of ${queue.name}${full ? ', as many as --limit allows' : ''}.`,
  ];
  if (unseen > 0) {
    notes.push(
      `The queue may hold about ${unseen} more: ` +
        (queue.fifo
          ? 'of a FIFO group only the first messages can be looked at while they are held.'
          : 'with another consumer, held by a run that was killed, or beyond what was looked at.'),
    );
  }
  if (queue.maxReceiveCount !== undefined) {
    notes.push(
      `Looking counts as receiving, and ${queue.name} has a redrive policy of its own: it moves a message on after ${queue.maxReceiveCount} receives.`,
    );
  }
  const backAs = new Set(views.map(({ comesBackAs }) => comesBackAs));
  if (backAs.has('its message id')) {
    notes.push(
      'Comes back as its message id: no key travels with it. A business key is read from its body again;',
      'a consumer with message-id keys takes the id it was first sent with.',
    );
  }
  if (backAs.has('a new message')) {
    notes.push(
      'Comes back as a new message: it has no room for our attribute. A business key finds its claim again,',
      'a message-id key does not.',
    );
  }
  if (views.length > 0) {
    notes.push(
      `To bring them back: sqs-once dlq redrive ${queue.name}`,
      "The console's own redrive moves parked messages only with their source queue as custom destination:",
      'SQS does not know where a message that was sent here comes from.',
    );
  }
  return notes;
}
