import { isNamed, NoKeyError, toError, wantedBackAfterSeconds } from '../errors.ts';
import type { ConsumerOptions } from '../options.ts';
import { className, parseBody } from './body.ts';
import { type BodySource, bodyFingerprint, givenFingerprint } from './fingerprint.ts';
import { checkedKey } from './key.ts';
import type { EnvelopeKey } from './key-from.ts';
import type { Captured, Reading, Unread } from './message.ts';
import type { SqsRecord } from './record.ts';

/** What a record says, and under which key and with which fingerprint it is claimed. */
interface Read<Body> {
  readonly reading: Reading<Body>;
  readonly key?: string;
  readonly fingerprint?: string | undefined;
}

/** Reads a captured record's body, key and fingerprint. Never throws. */
export async function read<Body>(
  captured: Captured,
  scope: string,
  options: ConsumerOptions<Body>,
): Promise<Read<Body>> {
  const { record } = captured;
  const nothing = ask('key', () => acknowledges(options.key, record));
  if (nothing.status !== 'answered') return { reading: nothing };
  if (nothing.value) return { reading: { status: 'nothing' } };
  const parsed = await parseBody(record.body, options);
  if (parsed.status === 'unparseable') return { reading: unreadable(parsed.error, 'unparseable') };
  const { body, source } = parsed;
  const key = ask('key', () => keyOf(captured, scope, options, body));
  if (key.status !== 'answered') return { reading: key };
  const fingerprint = fingerprintOf(record, options, body, source);
  if (fingerprint.status !== 'answered') return { reading: fingerprint };
  const message = Object.freeze({
    body,
    key: key.value,
    record,
    receives: captured.receives,
    sentAt: new Date(captured.sentAtMillis),
    groupId: record.attributes.MessageGroupId,
  });
  return { reading: { status: 'message', message }, key: key.value, fingerprint: fingerprint.value };
}

type Asked<Answer> = { readonly status: 'answered'; readonly value: Answer } | Unread;

/**
 * Asks the user's code about a message. One for which it has no key can never run: mostly the field it looks into is
 * missing. A fingerprint that cannot be taken is a failure like a handler's; what is thrown on purpose always decides.
 */
function ask<Answer>(what: 'key' | 'fingerprint', question: () => Answer): Asked<Answer> {
  try {
    return { status: 'answered', value: question() };
  } catch (thrown) {
    const error = toError(thrown);
    if (deliberate.some((name) => isNamed(error, name))) return unreadable(error, 'no-key');
    // Its own words may quote the body, and a logger writes causes as well.
    const told = `the ${what} function threw ${className(error)}`;
    return what === 'key'
      ? { status: 'poison', reason: 'no-key', error: new NoKeyError(told) }
      : { status: 'failed', error: new Error(told) };
  }
}

const deliberate = ['NoKeyError', 'PoisonMessageError', 'RetryLaterError'];

function unreadable(error: Error, reason: 'unparseable' | 'no-key'): Unread {
  const afterSeconds = wantedBackAfterSeconds(error);
  if (afterSeconds !== undefined) return { status: 'later', afterSeconds, error };
  return { status: 'poison', reason: isNamed(error, 'PoisonMessageError') ? 'poison' : reason, error };
}

/** A redrive's key wins: the work goes on under the key it was claimed with, whatever the code says by now. */
function keyOf<Body>(
  { record, attribute, originalMessageId }: Captured,
  scope: string,
  options: ConsumerOptions<Body>,
  body: Body,
): string {
  if (attribute?.key !== undefined && attribute.scope === scope) return attribute.key;
  if (options.key === undefined) return attribute?.followUp ?? originalMessageId;
  return checkedKey(options.key({ body, record }));
}

function fingerprintOf<Body>(
  record: SqsRecord,
  options: ConsumerOptions<Body>,
  body: Body,
  source: BodySource,
): Asked<string | undefined> {
  const { key } = options;
  const fingerprint = options.fingerprint ?? (key as Partial<EnvelopeKey> | undefined)?.fingerprint;
  if (fingerprint === false || (fingerprint === undefined && key === undefined)) {
    return { status: 'answered', value: undefined };
  }
  if (fingerprint === undefined) return ask('fingerprint', () => bodyFingerprint(source));
  const given = ask('fingerprint', () => fingerprint({ body, record }));
  if (given.status !== 'answered') return given;
  try {
    return { status: 'answered', value: givenFingerprint(given.value) };
  } catch (unfit) {
    return { status: 'failed', error: toError(unfit) };
  }
}

/** Whether the key helper knows this record as one that carries no work. */
function acknowledges(key: unknown, record: SqsRecord): boolean {
  const test = typeof key === 'function' ? Reflect.get(key, 'acknowledges') : undefined;
  return typeof test === 'function' && test({ record }) === true;
}
