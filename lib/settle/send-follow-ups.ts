import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type OnceAttribute, onceAttributeName } from '../arrive/once-attribute.ts';
import { toError } from '../errors.ts';
import { type FollowUpRecord, followUpFrom, isFifoUrl } from '../handle/follow-up-record.ts';
import { sdkAttribute } from './dead-letter-message.ts';

/** SQS takes ten messages a call. Its limit of 1 MiB is out of reach: a row holds less. */
const mostEntries = 10;

/** What is out after a round of sending. */
export interface FollowUpsSent {
  /** The follow-ups up to this one are out. One after it may be out too: it will be sent again, under its key. */
  readonly sent: number;
  readonly all: boolean;
  /** Why not all are out, when they are not. */
  readonly error?: Error;
}

export interface SendFollowUpsOptions {
  readonly signal?: AbortSignal;
  /** Told the place of every follow-up SQS has taken. */
  readonly onSent?: (index: number) => void;
}

interface Waiting {
  readonly index: number;
  readonly record: FollowUpRecord;
}

/**
 * Sends what a row still owes, from `alreadySent` on. Queues are served beside each other, each in order and
 * up to its first failure; only what SQS lists as successful counts. Never throws.
 */
export async function sendFollowUps(
  sqs: Pick<SQSClient, 'send'>,
  texts: readonly string[],
  alreadySent: number,
  options: SendFollowUpsOptions = {},
): Promise<FollowUpsSent> {
  const { queues, error: unreadable } = byQueue(texts, alreadySent);
  const out = new Set<number>();
  const errors = await Promise.all(
    [...queues.values()].map((waiting) => sendInOrder(sqs, waiting, out, options)),
  );
  let sent = Math.min(alreadySent, texts.length);
  while (out.has(sent)) sent += 1;
  if (sent === texts.length) return { sent, all: true };
  const error = errors.find((found) => found !== undefined) ?? unreadable;
  return { sent, all: false, ...(error === undefined ? {} : { error }) };
}

/** By queue, in order, up to the first that cannot be read: a newer version of this code wrote it. */
function byQueue(
  texts: readonly string[],
  from: number,
): { queues: ReadonlyMap<string, readonly Waiting[]>; error?: Error } {
  const queues = new Map<string, Waiting[]>();
  for (const [index, text] of texts.entries()) {
    if (index < from) continue;
    try {
      const record = followUpFrom(text);
      const waiting = queues.get(record.queueUrl) ?? [];
      waiting.push({ index, record });
      queues.set(record.queueUrl, waiting);
    } catch (cause) {
      return { queues, error: new Error(`follow-up ${index} cannot be read`, { cause }) };
    }
  }
  return { queues };
}

async function sendInOrder(
  sqs: Pick<SQSClient, 'send'>,
  waiting: readonly Waiting[],
  out: Set<number>,
  { signal, onSent }: SendFollowUpsOptions,
): Promise<Error | undefined> {
  try {
    for (let rest = waiting; rest.length > 0; ) {
      signal?.throwIfAborted();
      const batch = nextBatch(rest);
      const { Successful = [], Failed = [] } = await sqs.send(batchCommand(batch), abortOption(signal));
      for (const { Id } of Successful) {
        out.add(Number(Id));
        onSent?.(Number(Id));
      }
      const left = batch.find(({ index }) => !out.has(index));
      if (left !== undefined) return refusal(left.index, Failed);
      rest = rest.slice(batch.length);
    }
    return undefined;
  } catch (thrown) {
    return toError(thrown);
  }
}

/**
 * As many as go into one call. Of a FIFO group only one: a call may fail for its first entry and succeed for
 * its second, and then the group's order would be lost.
 */
function nextBatch(waiting: readonly Waiting[]): readonly Waiting[] {
  const groups = new Set<string>();
  const end = waiting.findIndex(({ record: { queueUrl, groupId = '' } }, place) => {
    if (place === mostEntries) return true;
    if (!isFifoUrl(queueUrl)) return false;
    if (groups.has(groupId)) return true;
    groups.add(groupId);
    return false;
  });
  return end === -1 ? waiting : waiting.slice(0, end);
}

function batchCommand(batch: readonly Waiting[]): SendMessageBatchCommand {
  return new SendMessageBatchCommand({
    QueueUrl: batch[0]?.record.queueUrl,
    Entries: batch.map(({ index, record }) => entryOf(String(index), record)),
  });
}

function entryOf(id: string, record: FollowUpRecord): SendMessageBatchRequestEntry {
  const { key, queueUrl, body, attributes = {}, groupId, delaySeconds } = record;
  const once: OnceAttribute = { v: 1, followUp: key };
  return {
    Id: id,
    MessageBody: body,
    MessageAttributes: {
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, sdkAttribute(value)])),
      [onceAttributeName]: { DataType: 'String', StringValue: JSON.stringify(once) },
    },
    ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    ...(groupId === undefined ? {} : { MessageGroupId: groupId }),
    ...(isFifoUrl(queueUrl) ? { MessageDeduplicationId: key } : {}),
  };
}

function abortOption(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

function refusal(
  index: number,
  failed: readonly { Id?: string | undefined; Code?: string | undefined }[],
): Error {
  const code = failed.find(({ Id }) => Id === String(index))?.Code ?? 'without a reason';
  return new Error(`SQS did not take follow-up ${index}: ${code}`);
}
