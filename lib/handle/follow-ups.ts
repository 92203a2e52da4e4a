import { derivedKey } from './effect-key.ts';
import { checkedAttributes, type FollowUpAttribute, isRefusedBySqs } from './follow-up-attributes.ts';
import { type FollowUpRecord, followUpText, isFifoUrl } from './follow-up-record.ts';

/** A message to be sent after the outcome is recorded. */
export interface FollowUp {
  readonly queueUrl: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown;
  /** Message attributes, at most 9: the tenth is ours. */
  readonly attributes?: Readonly<Record<string, FollowUpAttribute>> | undefined;
  /** The FIFO queue's message group, which it must have; elsewhere the tenant of a fair queue. */
  readonly groupId?: string | undefined;
  /** Whole seconds from 0 to 900 until the message can be received; a FIFO queue delays all alike. @default the queue's */
  readonly delaySeconds?: number | undefined;
}

/**
 * Messages that are recorded with the outcome and sent after it, at least once. Each carries a key derived from
 * this message's and its place, which the next `idempotentConsumer` uses by default, so a message sent twice is
 * handled once.
 */
export interface AttemptFollowUps {
  /**
   * Adds a follow-up; the order of the calls is the order of the sends to one queue.
   *
   * @throws TypeError for what SQS would refuse, and when all of them together need more than 128 KB in the
   * claim's row.
   * @example
   * ```ts
   * attempt.followUps.send({ queueUrl: receipts, body: { orderId: 'A-17' } });
   * ```
   */
  send(followUp: FollowUp): void;
}

/** An attempt's follow-ups, as the engine sees them. */
export interface CollectedFollowUps {
  readonly face: AttemptFollowUps;
  readonly size: number;
  /** The texts for the claim's row, for good: from here on the face refuses more. */
  freeze(): readonly string[];
}

/** Where follow-ups are collected. */
export interface FollowUpContext {
  readonly rowKey: string;
  /** Throws once the attempt was told to stop. */
  readonly ensureOpen: () => void;
}

/** A row holds 400 KB, and every refused claim is billed by the row's size. */
const mostBytes = 128 * 1_024;

const longestDelaySeconds = 900;

/** A host, then whatever an emulator may put there, and the queue's name. */
const queueForm = /^https?:\/\/[^/?#]+(\/[^?#]*)?\/[\w-]{1,80}(\.fifo)?$/;

const known = ['queueUrl', 'body', 'attributes', 'groupId', 'delaySeconds'];

export function createFollowUps(context: FollowUpContext): CollectedFollowUps {
  const texts: string[] = [];
  let bytes = 0;
  let frozen: readonly string[] | undefined;

  function send(followUp: FollowUp): void {
    context.ensureOpen();
    if (frozen !== undefined) {
      throw new TypeError(
        "the attempt has ended and its follow-ups are settled; await everything that adds one before the handler's end",
      );
    }
    const text = followUpText(recordOf(followUp, derivedKey(['follow-up', context.rowKey, texts.length])));
    const total = bytes + Buffer.byteLength(text);
    if (total > mostBytes) {
      throw new TypeError(
        `the follow-ups would need ${total} bytes of the claim's row and may need ${mostBytes}; send what is large by reference`,
      );
    }
    texts.push(text);
    bytes = total;
  }

  return {
    face: Object.freeze({ send }),
    get size() {
      return texts.length;
    },
    freeze() {
      frozen ??= Object.freeze([...texts]);
      return frozen;
    },
  };
}

function recordOf(given: FollowUp, key: string): FollowUpRecord {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError('followUps.send was given no object; give { queueUrl, body }');
  }
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `followUps.send has no property ${JSON.stringify(unknown[0])}; it has ${known.join(', ')}`,
    );
  }
  const queueUrl = checkedQueueUrl(given.queueUrl);
  const fifo = isFifoUrl(queueUrl);
  return {
    key,
    queueUrl,
    body: bodyText(given.body),
    ...(given.attributes === undefined ? {} : { attributes: checkedAttributes(given.attributes) }),
    ...groupOf(given.groupId, fifo),
    ...delayOf(given.delaySeconds, fifo),
  };
}

function checkedQueueUrl(queueUrl: unknown): string {
  if (typeof queueUrl === 'string' && URL.canParse(queueUrl) && queueForm.test(queueUrl)) return queueUrl;
  const got = typeof queueUrl === 'string' ? JSON.stringify(queueUrl) : `of type ${typeof queueUrl}`;
  throw new TypeError(
    `followUps.send: queueUrl is ${got}; give the queue's URL, such as https://sqs.eu-west-1.amazonaws.com/111122223333/receipts`,
  );
}

function bodyText(body: unknown): string {
  const text = typeof body === 'string' ? body : jsonText(body);
  if (text !== '' && !isRefusedBySqs(text)) return text;
  throw new TypeError(
    `followUps.send: body is empty or has characters SQS refuses; give text without control characters, or an object, which is sent as JSON`,
  );
}

function jsonText(body: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (cause) {
    throw new TypeError('followUps.send: body cannot be written as JSON; give a string or plain values', {
      cause,
    });
  }
  if (text === undefined) {
    throw new TypeError(`followUps.send: body is ${typeof body}; give a string, or what JSON can hold`);
  }
  // The two characters that JSON leaves as they are and SQS refuses.
  return text.replace(/[\ufffe\uffff]/g, (refused) => `\\u${refused.charCodeAt(0).toString(16)}`);
}

function groupOf(groupId: unknown, fifo: boolean): { groupId?: string } {
  if (groupId === undefined && !fifo) return {};
  if (typeof groupId === 'string' && /^[\x21-\x7e]{1,128}$/.test(groupId)) return { groupId };
  throw new TypeError(
    groupId === undefined
      ? 'followUps.send: groupId is missing; a message to a FIFO queue needs one'
      : 'followUps.send: groupId is none SQS takes; give 1 to 128 letters, digits and punctuation, no spaces',
  );
}

function delayOf(delaySeconds: unknown, fifo: boolean): { delaySeconds?: number } {
  if (delaySeconds === undefined) return {};
  const whole =
    typeof delaySeconds === 'number' && Number.isInteger(delaySeconds) ? delaySeconds : Number.NaN;
  if (!(whole >= 0 && whole <= longestDelaySeconds)) {
    const got = typeof delaySeconds === 'number' ? delaySeconds : `of type ${typeof delaySeconds}`;
    throw new TypeError(
      `followUps.send: delaySeconds is ${got}; give whole seconds from 0 to ${longestDelaySeconds}`,
    );
  }
  if (fifo) {
    throw new TypeError(
      'followUps.send: delaySeconds is given for a FIFO queue, which delays all messages alike; leave it out',
    );
  }
  return { delaySeconds: whole };
}
