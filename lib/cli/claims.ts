import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { callerScope, checkedScope, rowKey, unkeyedRowKey } from '../arrive/row-key.ts';
import { leaseIsOver } from '../lease.ts';
import type { ClaimRow } from '../words.ts';
import { claimFacts, claimJson } from './claim-facts.ts';
import { requiredClaimTable } from './clients.ts';
import { isConfirmed } from './confirm.ts';
import { environmentHelp, exitCode, exitCodeHelp } from './exit-code.ts';
import { factsTable, momentText } from './texts.ts';
import { jsonText } from './visible.ts';

interface ClaimsOptions {
  readonly scope: string;
  readonly message?: string;
  readonly caller?: string;
  readonly public?: true;
  readonly table?: string;
  readonly json?: true;
}

interface ReleaseOptions extends ClaimsOptions {
  readonly park?: true;
  readonly yes?: true;
}

const limit = { timeoutMillis: 10_000 };

/** `sqs-once claims`: one claim's row, for people on call. */
export function claimsCommand(): Command {
  const show = new Command('show').description('What the table knows of one claim.').action(showClaim);
  const release = new Command('release')
    .description('Let go of a claim: its next delivery runs as a first attempt. Deletes nothing.')
    .option('--park', 'its next delivery is parked instead, so that a held FIFO group goes on without it')
    .option('--yes', 'do not ask, even when somebody may be at work on it')
    .action(releaseClaim);
  const claims = new Command('claims').description('Look at one claim, or let go of it.');
  for (const command of [show, release]) {
    command
      .argument('[key]', 'the key')
      .requiredOption('--scope <scope>', "the consumer's scope")
      .option('--message <id>', 'a message recorded under its id, because it had no key or its key was taken')
      .option('--caller <name>', 'the caller, where the scope is that of an HTTP receiver')
      .addOption(
        new Option('--public', 'the same for a receiver whose callers are all one: public').conflicts(
          'caller',
        ),
      )
      .option('--table <name>', 'claim table (default: SQS_ONCE_TABLE)')
      .option('--json', 'one JSON document instead of text')
      .addHelpText('after', exitCodeHelp)
      .addHelpText('after', environmentHelp);
    claims.addCommand(command);
  }
  return claims;
}

async function showClaim(key: string | undefined, options: ClaimsOptions): Promise<void> {
  const store = await requiredClaimTable(options.table);
  const row = await store.read(rowKeyOf(key, options), limit);
  if (row === undefined) return notFound();
  print(row, options);
}

async function releaseClaim(key: string | undefined, options: ReleaseOptions): Promise<void> {
  const store = await requiredClaimTable(options.table);
  const wanted = rowKeyOf(key, options);
  const row = await store.read(wanted, limit);
  if (row === undefined) return notFound();
  refuseSettled(row, options);
  if (!(await isMeant(row, options))) return;
  const nowMillis = Date.now();
  const change = options.park ? store.letGo : store.reopen;
  const landing = await change(row, randomUUID(), nowMillis, limit);
  if (landing.status === 'refused') throw new Error('the claim changed hands meanwhile; nothing was changed');
  const after = await store.read(wanted, limit);
  if (after !== undefined) print(after, options);
  if (!options.json) console.log(consequenceOf(row, options));
}

function rowKeyOf(key: string | undefined, options: ClaimsOptions): string {
  const { message } = options;
  if ((key === undefined) === (message === undefined)) throw new Error('give a key, or --message with an id');
  const scope = scopeOf(options);
  return message === undefined ? rowKey(scope, key ?? '') : unkeyedRowKey(scope, message);
}

/** A receiver's claims are its callers', each in a scope of its own. */
function scopeOf({ scope, caller, public: isPublic }: ClaimsOptions): string {
  const checked = checkedScope(scope);
  if (isPublic) return callerScope(checked, '');
  return caller === undefined ? checked : callerScope(checked, caller);
}

function notFound(): void {
  process.exitCode = exitCode.notFound;
  console.error('The table has no such claim.');
}

/** Work that is done is never let go: it would be done again. */
function refuseSettled({ status }: ClaimRow, { park }: ReleaseOptions): void {
  if (status === 'completed' || status === 'rejected') {
    throw new Error(`the claim is ${status}; let go, its work would be done again, so nothing was changed`);
  }
  if (park && status === 'parked') throw new Error('the message is parked already; nothing was changed');
}

/** A running lease means that somebody may be at work, and would not be stopped but only fenced out. */
async function isMeant(row: ClaimRow, { yes, json }: ReleaseOptions): Promise<boolean> {
  const nowMillis = Date.now();
  if (yes || row.status !== 'leased' || leaseIsOver(row.leaseEndsAt, nowMillis)) return true;
  const until = momentText(row.leaseEndsAt, nowMillis) ?? 'nobody knows when';
  const question = `Its lease runs until ${until}. Whoever holds it may be at work and would be fenced out`;
  if (json || !process.stdin.isTTY) throw new Error(`${question}; give --yes if that is meant`);
  return isConfirmed(`${question}. Let go?`);
}

function consequenceOf(before: ClaimRow, { park }: ReleaseOptions): string {
  if (park) return 'Let go. Its next delivery is parked and does not run.';
  return before.status === 'parked'
    ? 'Let go. The parked message still lies in its dead-letter queue: bring it back with sqs-once dlq redrive.'
    : 'Let go. Its next delivery runs as a first attempt.';
}

function print(row: ClaimRow, { json }: ClaimsOptions): void {
  console.log(json ? jsonText(claimJson(row)) : factsTable(claimFacts(row, Date.now())));
}
