import type { RedriveMark } from '../claim/decide.ts';
import type { SqsRecord } from './record.ts';

/** The one message attribute of ours. */
export const onceAttributeName = 'sqs-once';

/**
 * What travels with a message under the attribute `sqs-once`: its story when it was parked, the mark when it
 * was redriven, or the key when it is a follow-up. Metadata only; the body is never touched.
 */
export interface OnceAttribute {
  readonly v: 1;
  readonly scope?: string;
  /** The key the work was claimed under; absent when it had none. */
  readonly key?: string;
  readonly parkId?: string;
  readonly reason?: string;
  readonly error?: { readonly name: string; readonly message: string };
  readonly receives?: number;
  readonly attempts?: number;
  /** Epoch milliseconds. */
  readonly firstClaimedAt?: number;
  readonly parkedAt?: number;
  readonly sentAt?: number;
  /** ARN of the queue the message came from. */
  readonly source?: string;
  /** The id the message had when it was first sent. */
  readonly messageId?: string;
  /** The mark of the redrive that brought it back. A parked message has none until it is redriven. */
  readonly redrive?: string;
  /** Generation of effect keys: when a person asked for new ones, epoch milliseconds. */
  readonly effects?: number;
  /** The key of a follow-up. */
  readonly followUp?: string;
}

// JSON escapes control characters and lone surrogates; these two it leaves, and SQS refuses the message.
const refusedBySqs = /[\ufffe\uffff]/g;

/** Our attribute as text that SQS takes, whatever characters a key has. */
export function onceAttributeText(attribute: OnceAttribute): string {
  return JSON.stringify(attribute).replace(
    refusedBySqs,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}

/** Reads our attribute. Anything that is not ours is the user's own and says nothing. */
export function readOnceAttribute(text: string | undefined): OnceAttribute | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isOnceAttribute(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function onceAttributeOf(record: SqsRecord): OnceAttribute | undefined {
  return readOnceAttribute(record.messageAttributes[onceAttributeName]?.stringValue);
}

/** The mark a message comes back with, from our redrive or from the console's redrive of a parked message. */
export function redriveMarkOf(attribute: OnceAttribute | undefined): RedriveMark | undefined {
  const id = attribute?.redrive ?? attribute?.parkId;
  if (attribute === undefined || id === undefined) return undefined;
  return {
    id,
    ...(attribute.parkId !== undefined ? { parkId: attribute.parkId } : {}),
    ...(attribute.effects !== undefined ? { effects: attribute.effects } : {}),
    ...(attribute.firstClaimedAt !== undefined ? { firstClaimedAt: attribute.firstClaimedAt } : {}),
  };
}

const texts = ['scope', 'key', 'parkId', 'reason', 'source', 'messageId', 'redrive', 'followUp'] as const;
const numbers = ['receives', 'attempts', 'firstClaimedAt', 'parkedAt', 'sentAt', 'effects'] as const;

/** What goes into the row as it came. Ours have 32 characters. */
const marks: readonly string[] = ['parkId', 'redrive'];
const longestMark = 64;

/**
 * Whether we may have written it. Anyone who sends to the queue can write one: a blank key would make all of
 * theirs one message, and a mark or a number DynamoDB refuses would fail every invocation the message is in.
 */
function isOnceAttribute(value: unknown): value is OnceAttribute {
  if (typeof value !== 'object' || value === null || (value as { v?: unknown }).v !== 1) return false;
  const fields = value as Record<string, unknown>;
  return (
    texts.every((name) => fields[name] === undefined || isText(name, fields[name])) &&
    numbers.every((name) => fields[name] === undefined || isCount(fields[name])) &&
    isErrorSummary(fields.error)
  );
}

function isText(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value.trim() === '') return false;
  return !marks.includes(name) || value.length <= longestMark;
}

/** A time in epoch milliseconds, or a number of things. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function isErrorSummary(error: unknown): boolean {
  if (error === undefined) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { name, message } = error as { name?: unknown; message?: unknown };
  return typeof name === 'string' && typeof message === 'string';
}
