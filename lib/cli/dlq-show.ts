import { Command } from 'commander';
import { claimReader } from '../redrive/claims.ts';
import { type DeadLetter, firstMessageIdOf, reasonOf } from '../redrive/dead-letter.ts';
import { look, type Seen } from '../redrive/look.ts';
import { findQueue } from '../redrive/queue.ts';
import { comesBackAs, markOf } from '../redrive/redriven-message.ts';
import { claimFacts, claimJson } from './claim-facts.ts';
import { claimWord } from './claim-words.ts';
import { claimTable, sqsClient } from './clients.ts';
import { viewOf } from './dead-letter-view.ts';
import { type ClaimOptions, withClaims } from './dlq-options.ts';
import { exitCode } from './exit-code.ts';
import { interrupted } from './interrupted.ts';
import { factsTable, momentText } from './texts.ts';
import { jsonText, visible } from './visible.ts';

interface ShowOptions extends ClaimOptions {
  readonly body?: true;
}

export function dlqShowCommand(): Command {
  const command = new Command('show')
    .description('The story of one dead letter: key, reason, error, and its claim as it is now.')
    .argument('<queue>', 'URL or name of the dead-letter queue')
    .argument('<message>', 'its message id, here or when first sent, or its park id')
    .option('--body', 'the body too');
  return withClaims(command).action(show);
}

async function show(queueName: string, id: string, options: ShowOptions): Promise<void> {
  const sqs = sqsClient();
  const queue = await findQueue(sqs, queueName);
  const { found, pass } = await look({
    sqs,
    queue,
    readClaim: claimReader(await claimTable(options.table)),
    selection: { messages: [id] },
    scope: options.scope,
    limit: 1,
    signal: interrupted(),
  });
  const unseen = await pass.end();
  const [seen] = found;
  if (seen === undefined) {
    process.exitCode = exitCode.notFound;
    console.error(
      visible(
        `No message ${id} in ${queue.name}${unseen > 0 ? `, of which about ${unseen} could not be seen` : ''}.`,
      ),
    );
    return;
  }
  console.log(options.json ? jsonText(storyJson(seen, options)) : storyText(seen, options));
}

function storyText(seen: Seen, options: ShowOptions): string {
  const { letter, claim } = seen;
  const nowMillis = Date.now();
  const { once } = letter;
  const story = factsTable({
    message: letter.messageId,
    'first message id': firstMessageIdOf(letter),
    scope: once?.scope,
    key: once?.key,
    reason: reasonOf(letter),
    error: once?.error === undefined ? undefined : `${once.error.name}: ${once.error.message}`,
    attempts: once?.attempts,
    receives: once?.receives ?? letter.receives,
    'first sent': momentText(letter.sentAtMillis, nowMillis),
    'first claimed': momentText(once?.firstClaimedAt, nowMillis),
    parked: momentText(once?.parkedAt, nowMillis),
    'comes from': once?.source ?? letter.movedFrom,
    group: letter.groupId,
    'park id': once?.parkId,
    'comes back as': comesBackAs(letter),
    'claim now': claimWord(claim, nowMillis),
    body: options.body ? letter.body : undefined,
  });
  return claim.status === 'found'
    ? `${story}\n\nIts claim:\n${factsTable(claimFacts(claim.row, nowMillis))}`
    : story;
}

function storyJson({ letter, name, claim }: Seen, options: ShowOptions): object {
  return {
    ...storyOf(letter),
    // After the story, which tells of the message that was parked: this one has another id, and may lie here again.
    ...viewOf(letter, name, claim, Date.now()),
    mark: markOf(letter),
    row: claim.status === 'found' ? claimJson(claim.row) : undefined,
    ...(options.body ? { body: letter.body } : {}),
  };
}

function storyOf({ once, movedFrom, groupId }: DeadLetter): object {
  return { ...once, source: once?.source ?? movedFrom, groupId };
}
