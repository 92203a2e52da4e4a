import { type Command, InvalidArgumentError } from 'commander';
import { deadLetteredReason } from '../redrive/dead-letter.ts';
import type { Selection } from '../redrive/selection.ts';
import { parkReasons } from '../settle/park-message.ts';
import { environmentHelp, exitCodeHelp } from './exit-code.ts';

/** Options that say which messages are meant. */
export interface SelectionOptions {
  readonly reason?: readonly string[];
  readonly key?: readonly string[];
  readonly message?: readonly string[];
}

/** Options that say where claims are. */
export interface ClaimOptions {
  readonly scope?: string;
  readonly table?: string;
  readonly json?: true;
}

export function withSelection(command: Command): Command {
  return command
    .option(
      '--reason <reason>',
      'only messages parked for it; dead-lettered: those SQS moved here itself',
      gatheredReasons,
    )
    .option('--key <key>', 'only messages of this key', gathered)
    .option(
      '--message <id>',
      'only messages of this id, here or when first sent, or of this park id',
      gathered,
    )
    .addHelpText(
      'after',
      '\n--reason, --key and --message may be given more than once; each that is given has to fit.',
    );
}

export function withClaims(command: Command): Command {
  return command
    .option(
      '--scope <scope>',
      'scope of messages that SQS dead-lettered itself, if their key is the message id',
    )
    .option('--table <name>', 'claim table (default: SQS_ONCE_TABLE; without one claims are unknown)')
    .option('--json', 'one JSON document instead of text')
    .addHelpText('after', exitCodeHelp)
    .addHelpText('after', environmentHelp);
}

export function selectionOf({ reason, key, message }: SelectionOptions): Selection {
  return {
    ...(reason !== undefined ? { reasons: reason } : {}),
    ...(key !== undefined ? { keys: key } : {}),
    ...(message !== undefined ? { messages: message } : {}),
  };
}

/** All that a list shows; `parked` is a parking whose reason had no room in the message. */
const reasons: readonly string[] = [...parkReasons, 'parked', deadLetteredReason];

function gatheredReasons(text: string, before: readonly string[] = []): readonly string[] {
  if (!reasons.includes(text)) throw new InvalidArgumentError(`Give one of ${reasons.join(', ')}.`);
  return gathered(text, before);
}

/** Reads a whole number of at least one. */
export function countOption(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('Give a whole number from 1 on.');
  return number;
}

/** Reads a rate. */
export function rateOption(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number <= 10_000))
    throw new InvalidArgumentError('Give a number above 0, at most 10000.');
  return number;
}

function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
