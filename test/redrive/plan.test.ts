// What a redrive does with a dead letter, decided without a network.
import { describe, expect, test } from 'vitest';
import { claimNameOf } from '../../lib/redrive/claim-name.ts';
import { type DeadLetter, firstMessageIdOf, parkingOf, reasonOf } from '../../lib/redrive/dead-letter.ts';
import { planFor } from '../../lib/redrive/plan.ts';
import { comesBackAs, markOf, redrivenMessage } from '../../lib/redrive/redriven-message.ts';
import { isSelected, selectsAll } from '../../lib/redrive/selection.ts';
import { row } from '../support/claims.ts';
import { startMillis } from '../support/hand-clock.ts';
import { storyOf } from '../support/parking/dead-letters.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/orders';
const fifoUrl = `${queueUrl}.fifo`;

function letter(given: Partial<DeadLetter> = {}): DeadLetter {
  return {
    messageId: 'dead-letter-1',
    receiptHandle: 'receipt',
    body: '{"id":1}',
    attributes: { mine: { DataType: 'String', StringValue: 'stays' } },
    once: undefined,
    groupId: undefined,
    sentAtMillis: startMillis,
    receives: 1,
    movedFrom: undefined,
    ...given,
  };
}

const once = {
  v: 1,
  scope: 'orders',
  key: 'A-17',
  parkId: 'park-1',
  reason: 'poison',
  error: { name: 'TypeError', message: 'no' },
  receives: 3,
  attempts: 2,
  parkedAt: startMillis,
  firstClaimedAt: startMillis - 60_000,
  sentAt: startMillis - 90_000,
  source: 'arn:aws:sqs:us-east-1:000000000000:orders',
  messageId: 'm1',
} as const;

const parked = letter({ once });
const bare = letter({ movedFrom: 'arn:aws:sqs:us-east-1:000000000000:orders' });
const movedBack = letter({ messageId: 'm2', once: { ...once, redrive: 'park-1' } });

describe('the claim of a dead letter', () => {
  test('is named by our attribute, whatever scope a person gives', () => {
    expect(claimNameOf(parked, 'another')).toEqual({ status: 'named', rowKey: 'orders#A-17' });
  });

  test('of work without a key is the row of its first message id', () => {
    const { key, ...keyless } = once;
    const again = letter({ messageId: 'dead-letter-2', once: keyless });
    expect(claimNameOf(again, undefined)).toEqual({ status: 'named', rowKey: 'orders!#m1' });
  });

  test('is supposed from a scope and the message id where SQS moved it, else unknown', () => {
    expect(claimNameOf(bare, 'orders')).toEqual({ status: 'supposed', rowKey: 'orders#dead-letter-1' });
    const followUp = letter({ once: { v: 1, followUp: 'follow-up-1' } });
    expect(claimNameOf(followUp, 'orders')).toEqual({ status: 'supposed', rowKey: 'orders#follow-up-1' });
    expect(claimNameOf(bare, undefined)).toEqual({ status: 'unknown' });
  });
});

describe('the plan', () => {
  const named = { status: 'named', rowKey: 'orders#A-17' } as const;
  const found = (given: Parameters<typeof row>[0]) => ({ status: 'found', row: row(given) }) as const;

  test.each([
    ['completed', found({ status: 'completed' }), { action: 'drop', why: 'completed' }],
    ['rejected', found({ status: 'rejected' }), { action: 'drop', why: 'rejected' }],
    [
      'completed with follow-ups unsent',
      found({ status: 'completed', followUps: ['{}'] }),
      { action: 'send' },
    ],
    ['parked', found({ status: 'parked' }), { action: 'send' }],
    ['released', found({ status: 'released' }), { action: 'send' }],
    ['leased', found({}), { action: 'send' }],
    ['gone', { status: 'none' } as const, { action: 'send' }],
    ['unknown', { status: 'unknown' } as const, { action: 'send' }],
  ])('for a claim that is %s', (_, claim, plan) => {
    expect(planFor(named, claim)).toEqual(plan);
  });

  test('never drops on a supposed claim: the consumer’s claim answers', () => {
    const supposed = { status: 'supposed', rowKey: 'orders#m1' } as const;
    expect(planFor(supposed, found({ status: 'completed' }))).toEqual({ action: 'send' });
  });
});

describe('the mark', () => {
  test('of a parked message is its park id, of one that SQS moved here a hash of its message id', () => {
    expect(markOf(parked)).toBe('park-1');
    expect(markOf(bare)).not.toBe(markOf(letter({ messageId: 'dead-letter-2' })));
    expect(markOf(bare)).toBe(markOf({ ...bare, receiptHandle: 'another', receives: 9 }));
  });

  test('of a redriven message that SQS moved back here is a new one', () => {
    expect(parkingOf(movedBack)).toBeUndefined();
    expect(markOf(movedBack)).not.toBe('park-1');
    const byConsole = { ...parked, movedFrom: 'arn:aws:sqs:us-east-1:000000000000:orders' };
    expect(markOf(byConsole)).not.toBe('park-1');
  });

  test('travels with what the consumer needs, and leaves the old story behind', () => {
    expect(storyOf(redrivenMessage(parked, queueUrl, undefined))).toEqual({
      v: 1,
      scope: 'orders',
      key: 'A-17',
      parkId: 'park-1',
      firstClaimedAt: once.firstClaimedAt,
      sentAt: startMillis,
      source: once.source,
      messageId: 'm1',
      redrive: 'park-1',
    });
    expect(storyOf(redrivenMessage(bare, queueUrl, 17))).toEqual({
      v: 1,
      messageId: 'dead-letter-1',
      sentAt: startMillis,
      redrive: markOf(bare),
      effects: 17,
      source: bare.movedFrom,
    });
  });
});

describe('the redriven message', () => {
  test('has the body and the user’s attributes as they lie there', () => {
    const message = redrivenMessage(parked, queueUrl, undefined);
    expect(message).toMatchObject({ QueueUrl: queueUrl, MessageBody: '{"id":1}' });
    expect(message.MessageAttributes).toMatchObject({ mine: { DataType: 'String', StringValue: 'stays' } });
  });

  test('of a FIFO queue keeps its group; a redrive repeated is deduplicated, the next dead letter is not', () => {
    const grouped = { ...parked, groupId: 'a' };
    const first = redrivenMessage(grouped, fifoUrl, undefined);
    expect(first.MessageGroupId).toBe('a');
    expect(
      redrivenMessage({ ...grouped, receiptHandle: 'another' }, fifoUrl, 17).MessageDeduplicationId,
    ).toBe(first.MessageDeduplicationId);
    for (const next of [movedBack, { ...grouped, messageId: 'dead-letter-2' }]) {
      expect(redrivenMessage(next, fifoUrl, undefined).MessageDeduplicationId).not.toBe(
        first.MessageDeduplicationId,
      );
    }
  });

  test('without room for our attribute is sent without it, and comes back as a new message', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, place) => [`a${place}`, { DataType: 'String', StringValue: 'x' }]),
    );
    const full = letter({ attributes });
    expect(redrivenMessage(full, queueUrl, undefined).MessageAttributes).toEqual(attributes);
    expect([comesBackAs(parked), comesBackAs(bare), comesBackAs(full)]).toEqual([
      'its key',
      'its message id',
      'a new message',
    ]);
  });
});

describe('a selection', () => {
  const { key, parkId, reason } = once;

  test('takes all where nothing is given', () => {
    expect(selectsAll({})).toBe(true);
    expect([parked, bare].every((each) => isSelected(each, {}))).toBe(true);
  });

  test('takes by reason, SQS’s own among them, by key, and by any of a message’s ids', () => {
    expect([reasonOf(parked), reasonOf(bare), reasonOf(movedBack)]).toEqual([
      reason,
      'dead-lettered',
      'dead-lettered',
    ]);
    expect(isSelected(parked, { reasons: ['poison', 'unparseable'] })).toBe(true);
    expect(isSelected(bare, { reasons: ['dead-lettered'] })).toBe(true);
    expect(isSelected(bare, { keys: [key] })).toBe(false);
    for (const id of ['dead-letter-1', firstMessageIdOf(parked), parkId]) {
      expect(isSelected(parked, { messages: [id] })).toBe(true);
    }
  });

  test('of several kinds takes what fits each', () => {
    expect(isSelected(parked, { keys: [key], reasons: ['poison'] })).toBe(true);
    expect(isSelected(parked, { keys: [key], reasons: ['unparseable'] })).toBe(false);
  });
});
