import type { RedriveMark } from '../claim/decide.ts';
import { isNamed, NoKeyError, toError, wantedBackAfterSeconds } from '../errors.ts';
import type { ConsumerOptions, Message } from '../options.ts';
import type { Work } from '../words.ts';
import { parseBody } from './body.ts';
import { type BodySource, bodyFingerprint, givenFingerprint } from './fingerprint.ts';
import { checkedKey } from './key.ts';
import { type OnceAttribute, onceAttributeOf, redriveMarkOf } from './once-attribute.ts';
import { frozenRecord, isFifoArn, type SqsRecord } from './record.ts';
import { rowKey, unkeyedRowKey } from './row-key.ts';
import { traceOf } from './trace.ts';

/** A record as it came: captured once, before user code can touch it, and not read yet. */
export interface Captured extends Work {
  readonly record: SqsRecord;
  /** The id the message had when it was first sent: a redrive gives it another. */
  readonly originalMessageId: string;
  readonly receives: number;
  readonly sentAtMillis: number;
  readonly firstReceivedAtMillis: number;
  /** The earliest time known of this message, carried along by parking and redrive. */
  readonly oldestMillis: number;
  readonly receivedBefore: boolean;
  readonly attribute: OnceAttribute | undefined;
  readonly mark: RedriveMark | undefined;
}

/** A record become a message: everything the engine needs of it. */
export interface Arrival<Body = unknown> extends Captured {
  /** Absent when the message is recorded under its id, in a namespace no key can reach. */
  readonly key: string | undefined;
  readonly fingerprint: string | undefined;
  readonly reading: Reading<Body>;
}

/** What reading the record came to. */
export type Reading<Body> =
  | { readonly status: 'message'; readonly message: Message<Body> }
  /** Can never run: parked with the reason. */
  | { readonly status: 'poison'; readonly reason: 'unparseable' | 'no-key' | 'poison'; readonly error: Error }
  /** The reader asked for it later. */
  | { readonly status: 'later'; readonly afterSeconds: number; readonly error: Error }
  /** Nothing to do, such as the test event S3 sends when a notification is set up. */
  | { readonly status: 'nothing' };

/** Until it is read, a record is known by its message id. */
export function capture(event: SqsRecord, scope: string, nowMillis: number): Captured {
  const record = frozenRecord(event);
  const attribute = onceAttributeOf(record);
  const mark = redriveMarkOf(attribute);
  const originalMessageId = attribute?.messageId ?? record.messageId;
  const sentAtMillis = millisOf(record.attributes.SentTimestamp) ?? nowMillis;
  const receives = Math.max(1, Number.parseInt(record.attributes.ApproximateReceiveCount ?? '1', 10) || 1);
  return {
    record,
    messageId: record.messageId,
    originalMessageId,
    receives,
    sentAtMillis,
    firstReceivedAtMillis: millisOf(record.attributes.ApproximateFirstReceiveTimestamp) ?? sentAtMillis,
    oldestMillis: Math.min(
      sentAtMillis,
      attribute?.sentAt ?? sentAtMillis,
      attribute?.firstClaimedAt ?? sentAtMillis,
    ),
    receivedBefore: receives > 1 || mark !== undefined,
    fifoGroup: isFifoArn(record.eventSourceARN) ? (record.attributes.MessageGroupId ?? '') : undefined,
    queueArn: record.eventSourceARN,
    trace: traceOf(record),
    ...named(unkeyedRowKey(scope, originalMessageId)),
    attribute,
    mark,
  };
}

/** Reads a captured record: its body, its key, its fingerprint. Never throws. */
export async function arrive<Body>(
  captured: Captured,
  scope: string,
  options: ConsumerOptions<Body>,
): Promise<Arrival<Body>> {
  const { reading, key, fingerprint } = await read(captured, scope, options);
  return {
    ...captured,
    ...(key === undefined ? {} : named(rowKey(scope, key))),
    key,
    fingerprint,
    reading,
  };
}

function named(claimKey: string): Pick<Work, 'rowKey' | 'toldAs'> {
  return { rowKey: claimKey, toldAs: claimKey };
}

interface Read<Body> {
  readonly reading: Reading<Body>;
  readonly key?: string;
  readonly fingerprint?: string | undefined;
}

async function read<Body>(
  captured: Captured,
  scope: string,
  options: ConsumerOptions<Body>,
): Promise<Read<Body>> {
  const { record } = captured;
  try {
    if (acknowledges(options.key, record)) return { reading: { status: 'nothing' } };
    const parsed = await parseBody(record.body, options);
    if (parsed.status === 'unparseable') return { reading: unreadable(parsed.error, 'unparseable') };
    const { body } = parsed;
    const key = keyOf(captured, scope, options, body);
    const message = Object.freeze({
      body,
      key,
      record,
      receives: captured.receives,
      sentAt: new Date(captured.sentAtMillis),
      groupId: record.attributes.MessageGroupId,
    });
    return {
      reading: { status: 'message', message },
      key,
      fingerprint: fingerprintOf(record, options, body, parsed.source),
    };
  } catch (thrown) {
    return { reading: unreadable(toError(thrown), 'no-key') };
  }
}

function unreadable(error: Error, reason: 'unparseable' | 'no-key'): Reading<never> {
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
  return checkedKey(given(() => options.key?.({ body, record })));
}

function given(make: () => unknown): unknown {
  try {
    return make();
  } catch (thrown) {
    if (['RetryLaterError', 'PoisonMessageError', 'NoKeyError'].some((name) => isNamed(thrown, name)))
      throw thrown;
    throw new NoKeyError('the key function threw', { cause: thrown });
  }
}

function fingerprintOf<Body>(
  record: SqsRecord,
  options: ConsumerOptions<Body>,
  body: Body,
  source: BodySource,
): string | undefined {
  const { fingerprint } = options;
  if (fingerprint === false) return undefined;
  if (fingerprint !== undefined) return givenFingerprint(fingerprint({ body, record }));
  return options.key === undefined ? undefined : bodyFingerprint(source);
}

/** Whether the key helper knows this record as one that carries no work. */
function acknowledges(key: unknown, record: SqsRecord): boolean {
  const test = typeof key === 'function' ? Reflect.get(key, 'acknowledges') : undefined;
  return typeof test === 'function' && test({ record }) === true;
}

function millisOf(text: string | undefined): number | undefined {
  const millis = Number(text);
  return text !== undefined && Number.isFinite(millis) && millis > 0 ? millis : undefined;
}
