// The message for the dead-letter queue: what came goes on byte for byte, and our story gives way to it.
import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Arrival, arrive, capture } from '../../lib/arrive/message.ts';
import { onceAttributeName } from '../../lib/arrive/once-attribute.ts';
import type { SqsMessageAttribute } from '../../lib/arrive/record.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import type { EventMessage } from '../../lib/local/events-for-tests.ts';
import {
  deadLetterMessage,
  type ParkingStory,
  parkIdOf,
  withoutStory,
} from '../../lib/settle/dead-letter-message.ts';
import { startMillis } from '../support/hand-clock.ts';
import { lambdaAttributes, storyOf } from '../support/parking/dead-letters.ts';
import { fifoRecord, record } from '../support/records.ts';

const mostBytes = 1_048_576;
const takenBySqs = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/orders-dlq';

const arrivalOf = (message: Partial<EventMessage>, key?: string): Promise<Arrival> =>
  arrive(capture(record('m1', message), 'tests', startMillis), 'tests', {
    scope: 'tests',
    parse: (text) => text,
    ...(key === undefined ? {} : { key: () => key }),
  });

function story(given: Partial<ParkingStory> = {}): ParkingStory {
  return {
    parkId: parkIdOf('tests#m1', 'm1'),
    fence: 5,
    reason: 'attempts-exhausted',
    error: new TypeError('no such order'),
    attempts: 5,
    firstClaimedAt: startMillis - 60_000,
    parkedAt: startMillis,
    effects: undefined,
    ...given,
  };
}

async function parked(message: Partial<EventMessage>, given: Partial<ParkingStory> = {}, key?: string) {
  return deadLetterMessage(await arrivalOf(message, key), 'tests', story(given), queueUrl);
}

/** As SQS counts: body, and of each attribute its name, type and value. */
function bytesOf({ MessageBody = '', MessageAttributes = {} }: SendMessageCommandInput): number {
  return Object.entries(MessageAttributes).reduce(
    (bytes, [name, { DataType = '', StringValue = '', BinaryValue }]) =>
      bytes + Buffer.byteLength(name + DataType + StringValue) + (BinaryValue?.length ?? 0),
    Buffer.byteLength(MessageBody),
  );
}

const text = (stringValue: string, dataType = 'String'): SqsMessageAttribute => ({ dataType, stringValue });
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`a${place}`, text(String(place))]));

describe('what came', () => {
  test('goes on byte for byte: text, numbers, binary and types of the sender’s own', async () => {
    const bytes = Buffer.from([0, 1, 2, 254, 255]);
    const messageAttributes = {
      plain: text('grün ✓'),
      count: text('007.50', 'Number'),
      cents: text('1200', 'Number.cents'),
      image: { dataType: 'Binary.png', binaryValue: bytes.toString('base64') },
    };
    const { MessageBody, MessageAttributes = {} } = await parked({ body: '{"n":1.0}', messageAttributes });
    const { [onceAttributeName]: _, ...users } = MessageAttributes;
    expect(MessageBody).toBe('{"n":1.0}');
    expect(users).toEqual({
      plain: { DataType: 'String', StringValue: 'grün ✓' },
      count: { DataType: 'Number', StringValue: '007.50' },
      cents: { DataType: 'Number.cents', StringValue: '1200' },
      image: { DataType: 'Binary.png', BinaryValue: bytes },
    });
  });

  test('loses nothing to us when the sender used our name for an attribute of his own', async () => {
    const messageAttributes = { [onceAttributeName]: text('mine') };
    const { MessageAttributes } = await parked({ messageAttributes });
    expect(MessageAttributes).toEqual({ [onceAttributeName]: { DataType: 'String', StringValue: 'mine' } });
  });

  test('keeps the group id, a fair queue’s too', async () => {
    expect(await parked({ groupId: 'tenant-1' })).toMatchObject({ MessageGroupId: 'tenant-1' });
    expect(await parked({})).not.toHaveProperty('MessageGroupId');
    expect(await parked({ groupId: 'tenant-1' })).not.toHaveProperty('MessageDeduplicationId');
  });
});

describe('our attribute', () => {
  test('tells the whole story', async () => {
    const arrival = await arrivalOf({ receives: 7 }, 'A-17');
    const message = deadLetterMessage(arrival, 'tests', story({ effects: 17 }), queueUrl);
    expect(storyOf(message)).toEqual({
      v: 1,
      scope: 'tests',
      key: 'A-17',
      parkId: story().parkId,
      messageId: 'm1',
      sentAt: startMillis,
      firstClaimedAt: startMillis - 60_000,
      effects: 17,
      source: arrival.record.eventSourceARN,
      reason: 'attempts-exhausted',
      error: { name: 'TypeError', message: 'no such order' },
      receives: 7,
      attempts: 5,
      parkedAt: startMillis,
    } satisfies ReturnType<typeof storyOf>);
  });

  test('replaces the one of an earlier parking', async () => {
    const first = await parked({});
    const { MessageAttributes = {} } = await parked({
      messageAttributes: lambdaAttributes(first.MessageAttributes),
    });
    expect(Object.keys(MessageAttributes)).toEqual([onceAttributeName]);
  });

  test('tells an error the row kept as the error that was thrown', async () => {
    const message = await parked({}, { error: 'TypeError: no: such order' });
    expect(storyOf(message)?.error).toEqual({ name: 'TypeError', message: 'no: such order' });
    expect(storyOf(await parked({}, { error: 'who knows' }))?.error).toEqual({
      name: 'Error',
      message: 'who knows',
    });
  });

  test.each(['\u0000', '\uffff', '\ufffe', '\ud800', '\u001f"\\', '😀'])(
    'carries the key %j in text SQS takes',
    async (key) => {
      const { MessageAttributes = {} } = await parked({}, {}, `A${key}`);
      expect(storyOf({ QueueUrl: '', MessageBody: '', MessageAttributes })?.key).toBe(`A${key}`);
      expect(MessageAttributes[onceAttributeName]?.StringValue).toMatch(takenBySqs);
    },
  );

  test('cuts an endless error', async () => {
    const message = await parked({}, { error: new PoisonMessageError('x'.repeat(100_000)) });
    expect(storyOf(message)?.error?.message).toHaveLength(1_024);
  });
});

describe('when there is no room', () => {
  test('a message with nine attributes takes ours, one with ten goes without', async () => {
    const nine = await parked({ messageAttributes: many(9) });
    const ten = await parked({ messageAttributes: many(10) });
    expect(Object.keys(nine.MessageAttributes ?? {})).toHaveLength(10);
    expect(storyOf(nine)?.parkId).toBe(story().parkId);
    expect(Object.keys(ten.MessageAttributes ?? {})).toEqual(Object.keys(many(10)));
  });

  test('the nearer the body comes to 1 MiB the shorter the story, and no message is too large', async () => {
    const told = new Map<number, number>();
    for (let left = 0; left <= 1_400; left += 20) {
      const message = await parked(
        { body: 'ä'.repeat((mostBytes - left) / 2) },
        { error: new TypeError('no such order '.repeat(50)) },
      );
      expect(bytesOf(message)).toBeLessThanOrEqual(mostBytes);
      told.set(left, Buffer.byteLength(message.MessageAttributes?.[onceAttributeName]?.StringValue ?? ''));
    }
    const lengths = [...new Set(told.values())];
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(lengths[0]).toBe(0);
    expect(lengths.length).toBe(5);
  });

  test('the shortest story still says whose work it is, where it came from and how old it is', async () => {
    const full = storyOf(await parked({}));
    const left = Buffer.byteLength(JSON.stringify({ ...full, error: undefined })) - 10;
    const taken = onceAttributeName.length + 'String'.length;
    const shortest = storyOf(await parked({ body: 'x'.repeat(mostBytes - taken - left) }));
    expect(shortest).toEqual({
      v: 1,
      scope: 'tests',
      key: 'm1',
      parkId: full?.parkId,
      messageId: 'm1',
      sentAt: full?.sentAt,
      firstClaimedAt: full?.firstClaimedAt,
      source: full?.source,
    });
  });

  test('a queue that takes less gets the message without ours, and with the sender’s', async () => {
    const message = await parked({ messageAttributes: many(2) });
    expect(withoutStory(message)?.MessageAttributes).toEqual({
      a0: { DataType: 'String', StringValue: '0' },
      a1: { DataType: 'String', StringValue: '1' },
    });
    expect(withoutStory(await parked({ messageAttributes: many(10) }))).toBeUndefined();
    const own = { [onceAttributeName]: text('mine') };
    expect(withoutStory(await parked({ messageAttributes: own }))).toBeUndefined();
  });

  test('SQS takes whatever is sent, for any body, attributes, key and error', async () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    const value = fc.record({
      dataType: fc.constantFrom('String', 'String.own'),
      stringValue: fc.string({ minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, value, { maxKeys: 10 }),
        fc.integer({ min: 0, max: 2_000 }),
        fc.string({ unit: 'binary', minLength: 1 }).filter((key) => key.trim() !== ''),
        fc.string({ unit: 'binary' }),
        async (messageAttributes, left, key, complaint) => {
          const body = 'x'.repeat(
            Math.max(
              1,
              mostBytes -
                left -
                bytesOf({ QueueUrl: '', MessageBody: '', MessageAttributes: sdk(messageAttributes) }),
            ),
          );
          const message = await parked({ body, messageAttributes }, { error: new Error(complaint) }, key);
          const { [onceAttributeName]: ours, ...users } = message.MessageAttributes ?? {};
          expect(bytesOf(message)).toBeLessThanOrEqual(
            Math.max(mostBytes, bytesOf({ QueueUrl: '', MessageBody: body, MessageAttributes: users })),
          );
          expect(Object.keys(message.MessageAttributes ?? {}).length).toBeLessThanOrEqual(10);
          expect(users).toEqual(sdk(messageAttributes));
          expect(ours?.StringValue ?? '').toMatch(
            /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u,
          );
          if (ours !== undefined) expect(storyOf(message)?.key).toBe(key);
        },
      ),
      { numRuns: 60 },
    );
  });
});

function sdk(attributes: Readonly<Record<string, SqsMessageAttribute>>) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue }]) => [
      name,
      { DataType: dataType, StringValue: stringValue as string },
    ]),
  );
}

describe('in a FIFO queue', () => {
  const fifoUrl = `${queueUrl}.fifo`;
  const fifoArrival = () =>
    arrive(capture(fifoRecord('a1'), 'tests', startMillis), 'tests', { scope: 'tests' });

  test('the group stays, and each parking has a deduplication id of its own', async () => {
    const arrival = await fifoArrival();
    const first = deadLetterMessage(arrival, 'tests', story(), fifoUrl);
    const sameAgain = deadLetterMessage(arrival, 'tests', story({ reason: 'told otherwise' }), fifoUrl);
    const next = deadLetterMessage(arrival, 'tests', story({ fence: 6 }), fifoUrl);
    expect(first).toMatchObject({ MessageGroupId: 'a' });
    expect(sameAgain.MessageDeduplicationId).toBe(first.MessageDeduplicationId);
    expect(next.MessageDeduplicationId).not.toBe(first.MessageDeduplicationId);
    expect(first.MessageDeduplicationId).toMatch(/^[\w-]{1,128}$/);
  });
});

test('a park id is the same for every try of one parking, and another for each message and each piece of work', () => {
  expect(parkIdOf('tests#k', 'm1')).toBe(parkIdOf('tests#k', 'm1'));
  expect(
    new Set([parkIdOf('tests#k', 'm1'), parkIdOf('tests#k', 'm2'), parkIdOf('tests#l', 'm1')]).size,
  ).toBe(3);
});
