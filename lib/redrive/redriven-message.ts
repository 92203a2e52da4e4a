import { createHash } from 'node:crypto';
import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { type OnceAttribute, onceAttributeName, readOnceAttribute } from '../arrive/once-attribute.ts';
import { isFifoUrl } from '../handle/follow-up-record.ts';
import { withOnceAttribute } from '../settle/fit-attribute.ts';
import { type DeadLetter, firstMessageIdOf, parkingOf } from './dead-letter.ts';

/**
 * The mark of one redrive of one dead letter, the same however often it is sent: a redrive may be killed
 * between sending and deleting, and the consumer honours a mark once.
 *
 *   parked by us ──────▶ the park id, which the row of the parking knows
 *   moved here by SQS ─▶ a hash of the message id; a redriven message that comes back here has another one
 */
export function markOf(letter: DeadLetter): string {
  return parkingOf(letter)?.parkId ?? hashOf('mark', letter.messageId);
}

/**
 * The message as it goes back to its source: body and attributes as they lie here, and the mark. The story of
 * its parking is left behind, so that the next one is told from the start.
 */
export function redrivenMessage(
  letter: DeadLetter,
  queueUrl: string,
  effects: number | undefined,
): SendMessageCommandInput {
  const { body, attributes, groupId } = letter;
  const marked = markedAttribute(letter, effects);
  const { source: _, ...brief } = marked;
  return {
    QueueUrl: queueUrl,
    MessageBody: body,
    MessageAttributes: withOnceAttribute(body, attributes, [marked, brief]),
    ...(groupId !== undefined ? { MessageGroupId: groupId } : {}),
    // Of the dead letter, not of the mark: a redrive repeated within five minutes is swallowed by SQS, and a
    // message that came back here meanwhile is another dead letter, which must not be.
    ...(isFifoUrl(queueUrl)
      ? {
          MessageGroupId: groupId ?? letter.messageId,
          MessageDeduplicationId: hashOf('redrive', letter.messageId),
        }
      : {}),
  };
}

/** As what a message comes back. Without our attribute, which may not fit, a message id means nothing any more. */
export function comesBackAs(letter: DeadLetter): 'its key' | 'its message id' | 'a new message' {
  const sent = redrivenMessage(letter, '', undefined).MessageAttributes?.[onceAttributeName];
  if (readOnceAttribute(sent?.StringValue) === undefined) return 'a new message';
  return letter.once?.key === undefined ? 'its message id' : 'its key';
}

function markedAttribute(letter: DeadLetter, effects: number | undefined): OnceAttribute {
  const { reason, error, receives, attempts, parkedAt, ...identity } = letter.once ?? { v: 1 };
  const source = identity.source ?? letter.movedFrom;
  return {
    ...identity,
    messageId: firstMessageIdOf(letter),
    sentAt: letter.sentAtMillis,
    redrive: markOf(letter),
    ...(effects !== undefined ? { effects } : {}),
    ...(source !== undefined ? { source } : {}),
  };
}

function hashOf(kind: string, messageId: string): string {
  return createHash('sha256').update(`${kind}\n${messageId}`).digest('base64url').slice(0, 32);
}
