import type { RedriveMark } from '../claim/decide.ts';
import type { ConsumerOptions, Message } from '../options.ts';
import type { Work } from '../words.ts';
import { type OnceAttribute, onceAttributeOf, redriveMarkOf } from './once-attribute.ts';
import { read } from './read.ts';
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
  /** Nothing to do, such as the test event S3 sends when a notification is set up. */
  | { readonly status: 'nothing' }
  | Unread;

/** Why there is no message to run. */
export type Unread =
  /** Can never run: parked with the reason. */
  | { readonly status: 'poison'; readonly reason: 'unparseable' | 'no-key' | 'poison'; readonly error: Error }
  /** The reader asked for it later. */
  | { readonly status: 'later'; readonly afterSeconds: number; readonly error: Error }
  /** User code that reads it is broken: an attempt that failed, like one whose handler throws. */
  | { readonly status: 'failed'; readonly error: Error };

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

function millisOf(text: string | undefined): number | undefined {
  const millis = Number(text);
  return text !== undefined && Number.isFinite(millis) && millis > 0 ? millis : undefined;
}
