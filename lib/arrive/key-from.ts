import { NoKeyError } from '../errors.ts';
import { withoutByteOrderMark } from './body.ts';
import type { SqsRecord } from './record.ts';

interface Source {
  readonly record: Pick<SqsRecord, 'body'>;
}

/** A `key` function that finds the stable id inside an envelope. */
export interface EnvelopeKey {
  /** @throws NoKeyError when the body is no such envelope. There is no second guess. */
  (source: Source): string;
  /** What of the envelope is the same each time its event is delivered: the default fingerprint beside this key. */
  readonly fingerprint: ((source: Source) => unknown) | false;
  /** Whether the record carries no work and only has to be acknowledged; asked before the body is read. */
  readonly acknowledges?: (source: Source) => boolean;
}

/**
 * Keys for messages that SNS, EventBridge or S3 made. These deliver one event more than once as messages of
 * their own, each with its own message id; the id that stays the same is inside. Nothing is guessed: name the
 * one that feeds the queue. All three read the record's own text, whatever `parse` and `schema` make of it,
 * and look through the layer an EventBridge pipe puts around a message.
 *
 * - `sns`: the notification's `MessageId`. Raw delivery strips the envelope and the id with it: let the
 *   publisher put an id into the message, or into an attribute, and take that.
 * - `eventBridge`: the event's `id`, also of an event that came through SNS.
 * - `s3`: event name, bucket, object key, version (or ETag) and sequencer (or time) of every record in the
 *   notification, also of one that came through SNS. The message is one piece of work: done when the handler
 *   has done all its records, run again as a whole when it has not. The test event that S3 sends when a
 *   notification is set up is acknowledged without running the handler.
 *
 * Their fingerprint is of the event inside: what delivers it signs, stamps and wraps it anew each time.
 * `s3` has none, since its key says all there is to say. A function of yours that calls one of them takes the
 * same by `fingerprint: keyFrom.sns.fingerprint`.
 *
 * @example
 * ```ts
 * const uploads = idempotentConsumer({ scope: 'index-uploads', key: keyFrom.s3 });
 * ```
 */
export const keyFrom: {
  readonly sns: EnvelopeKey;
  readonly eventBridge: EnvelopeKey;
  readonly s3: EnvelopeKey;
} = Object.freeze({
  sns: Object.assign(snsKey, { fingerprint: snsPayload }),
  eventBridge: Object.assign(eventBridgeKey, { fingerprint: eventBridgePayload }),
  s3: Object.assign(s3Key, { fingerprint: false as const, acknowledges: isS3TestEvent }),
});

function snsKey({ record }: Source): string {
  const notification = envelopeOf(record);
  if (isNotification(notification) && isText(notification.MessageId)) return notification.MessageId;
  throw new NoKeyError(
    'keyFrom.sns: the body is no SNS notification; with raw delivery on, take the key from the message or an attribute',
  );
}

/** What was published. Signature, its certificate and the time are of the delivery. */
function snsPayload({ record }: Source): unknown {
  const { Subject, Message, MessageAttributes } = membersOf(envelopeOf(record));
  return { Subject, Message, MessageAttributes };
}

function eventBridgeKey({ record }: Source): string {
  const event = messageOf(envelopeOf(record));
  if (isMembers(event) && isText(event.id) && isText(event['detail-type']) && isText(event.source)) {
    return event.id;
  }
  throw new NoKeyError('keyFrom.eventBridge: the body is no EventBridge event with an id');
}

/** An archive that replays an event names the replay in it, and leaves it the same event. */
function eventBridgePayload({ record }: Source): unknown {
  const { 'replay-name': _, ...event } = membersOf(messageOf(envelopeOf(record)));
  return event;
}

function s3Key({ record }: Source): string {
  const event = messageOf(envelopeOf(record));
  if (!isMembers(event) || !Array.isArray(event.Records) || event.Records.length === 0) {
    throw new NoKeyError('keyFrom.s3: the body is no S3 event notification');
  }
  return JSON.stringify(event.Records.map(s3Identity));
}

/** The sequencer comes with puts and deletes only; what lacks it is told apart by its time. */
function s3Identity(record: unknown): readonly string[] {
  const { eventSource, eventName, eventTime, s3 } = membersOf(record);
  const { bucket, object } = membersOf(s3);
  const { name } = membersOf(bucket);
  const { key, versionId, eTag, sequencer } = membersOf(object);
  const moment = isText(sequencer) ? sequencer : eventTime;
  if (eventSource !== 'aws:s3' || !isText(eventName) || !isText(name) || !isText(key) || !isText(moment)) {
    throw new NoKeyError(
      'keyFrom.s3: a record lacks its event name, bucket, object key, or both sequencer and time',
    );
  }
  return [eventName, name, key, [versionId, eTag].find(isText) ?? '', moment];
}

/** S3 sends it once when a notification is set up: it has no records. */
function isS3TestEvent({ record }: Source): boolean {
  // A cheap look first: this is asked of every record.
  if (!String(record.body).includes('s3:TestEvent')) return false;
  const event = membersOf(messageOf(envelopeOf(record)));
  return event.Service === 'Amazon S3' && event.Event === 's3:TestEvent';
}

/** The body, without the layer of a pipe, whose messages hold the whole record it received. */
function envelopeOf(record: Source['record']): unknown {
  const body = jsonOf(record.body);
  return isMembers(body) && body.eventSource === 'aws:sqs' && 'body' in body ? jsonOf(body.body) : body;
}

/** What SNS was given to deliver, or the envelope itself when SNS had no part in it. */
function messageOf(envelope: unknown): unknown {
  return isNotification(envelope) ? jsonOf(envelope.Message) : envelope;
}

function isNotification(value: unknown): value is Members {
  return isMembers(value) && value.Type === 'Notification' && isText(value.TopicArn);
}

/** The value of a JSON text. A pipe's template may have parsed it already. */
function jsonOf(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    return undefined;
  }
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
