import { ReceiveMessageCommand, type SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFollowUps, type FollowUp } from '../../lib/handle/follow-ups.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { sendFollowUps } from '../../lib/settle/send-follow-ups.ts';

const mail = 'https://sqs.eu-west-1.amazonaws.com/111122223333/mail';
const audit = 'https://sqs.eu-west-1.amazonaws.com/111122223333/audit';
const ledger = 'https://sqs.eu-west-1.amazonaws.com/111122223333/ledger.fifo';

function textsOf(...followUps: readonly FollowUp[]): readonly string[] {
  const collected = createFollowUps({ rowKey: 'capture-payment#A-17', ensureOpen: () => {} });
  for (const followUp of followUps) collected.face.send(followUp);
  return collected.freeze();
}

function many(count: number, queueUrl = mail): readonly string[] {
  return textsOf(...Array.from({ length: count }, (_, place) => ({ queueUrl, body: `${place}` })));
}

type Input = SendMessageBatchCommand['input'];
type Answer = { Successful?: { Id: string }[]; Failed?: { Id: string; Code: string }[] };

/** An SQS that takes what `takes` says, and the calls it got. */
function sqsTaking(takes: (body: string, input: Input) => boolean, calls: Input[] = []) {
  return {
    calls,
    bodies: () => calls.map(({ Entries = [] }) => Entries.map(({ MessageBody }) => MessageBody)),
    send: (async ({ input }: SendMessageBatchCommand): Promise<Answer> => {
      calls.push(input);
      const entries = input.Entries ?? [];
      const isTaken = (entry: (typeof entries)[number]) => takes(entry.MessageBody ?? '', input);
      return {
        Successful: entries.filter(isTaken).map(({ Id = '' }) => ({ Id })),
        Failed: entries
          .filter((entry) => !isTaken(entry))
          .map(({ Id = '' }) => ({ Id, Code: 'InternalError' })),
      };
    }) as unknown as SQSClient['send'],
  };
}

describe('follow-ups', () => {
  test('go out ten at a time and in order', async () => {
    const sqs = sqsTaking(() => true);
    expect(await sendFollowUps(sqs, many(23), 0)).toEqual({ sent: 23, all: true });
    expect(sqs.bodies().flat()).toEqual(Array.from({ length: 23 }, (_, place) => `${place}`));
    expect(sqs.bodies().map((batch) => batch.length)).toEqual([10, 10, 3]);
  });

  test('that are out already are left alone', async () => {
    const sqs = sqsTaking(() => true);
    expect(await sendFollowUps(sqs, many(5), 3)).toEqual({ sent: 5, all: true });
    expect(sqs.bodies()).toEqual([['3', '4']]);
    const idle = sqsTaking(() => true);
    expect(await sendFollowUps(idle, many(5), 5)).toEqual({ sent: 5, all: true });
    expect(await sendFollowUps(idle, [], 0)).toEqual({ sent: 0, all: true });
    expect(idle.calls).toEqual([]);
  });

  test('carry their key, and only what their kind of queue takes', async () => {
    const sqs = sqsTaking(() => true);
    const texts = textsOf(
      {
        queueUrl: mail,
        body: { a: 1 },
        delaySeconds: 0,
        groupId: 'tenant',
        attributes: { n: 1, b: Uint8Array.from([7]) },
      },
      { queueUrl: ledger, body: 'x', groupId: 'A-17' },
    );
    await sendFollowUps(sqs, texts, 0);
    const [first = '', second = ''] = texts.map((text) => JSON.parse(text).key as string);
    expect(sqs.calls).toEqual([
      {
        QueueUrl: mail,
        Entries: [
          {
            Id: '0',
            MessageBody: '{"a":1}',
            MessageAttributes: {
              n: { DataType: 'Number', StringValue: '1' },
              b: { DataType: 'Binary', BinaryValue: Buffer.from([7]) },
              'sqs-once': { DataType: 'String', StringValue: `{"v":1,"followUp":"${first}"}` },
            },
            DelaySeconds: 0,
            MessageGroupId: 'tenant',
          },
        ],
      },
      {
        QueueUrl: ledger,
        Entries: [
          {
            Id: '1',
            MessageBody: 'x',
            MessageAttributes: {
              'sqs-once': { DataType: 'String', StringValue: `{"v":1,"followUp":"${second}"}` },
            },
            MessageGroupId: 'A-17',
            MessageDeduplicationId: second,
          },
        ],
      },
    ]);
  });

  test('of a FIFO group never share a call, so that a call that half fails cannot turn them round', async () => {
    const sqs = sqsTaking(() => true);
    const texts = textsOf(
      ...['a1', 'b1', 'a2', 'a3', 'b2'].map((body) => ({ queueUrl: ledger, body, groupId: body.charAt(0) })),
    );
    expect(await sendFollowUps(sqs, texts, 0)).toEqual({ sent: 5, all: true });
    expect(sqs.bodies()).toEqual([['a1', 'b1'], ['a2'], ['a3', 'b2']]);
  });
});

describe('a follow-up that is not taken', () => {
  test('stops its queue, counts no further than itself, and is named', async () => {
    const sqs = sqsTaking((body) => body !== '4');
    const told: number[] = [];
    const sent = await sendFollowUps(sqs, many(15), 0, { onSent: (place) => told.push(place) });
    expect(sent).toEqual({
      sent: 4,
      all: false,
      error: new Error('SQS did not take follow-up 4: InternalError'),
    });
    expect(sqs.calls).toHaveLength(1);
    expect(told).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9]);
  });

  test('stops no other queue', async () => {
    const sqs = sqsTaking((_, { QueueUrl }) => QueueUrl !== mail);
    const texts = textsOf(
      { queueUrl: audit, body: '0' },
      { queueUrl: mail, body: '1' },
      { queueUrl: audit, body: '2' },
    );
    expect(await sendFollowUps(sqs, texts, 0)).toMatchObject({ sent: 1, all: false });
    expect(sqs.calls.filter(({ QueueUrl }) => QueueUrl === audit)).toHaveLength(1);
  });

  test('is one that SQS answers for with neither success nor failure', async () => {
    const silent = { send: (async () => ({})) as unknown as SQSClient['send'] };
    expect(await sendFollowUps(silent, many(1), 0)).toEqual({
      sent: 0,
      all: false,
      error: new Error('SQS did not take follow-up 0: without a reason'),
    });
  });

  test('is every one of a call that throws, whatever it throws', async () => {
    const outage = new Error('socket hang up');
    for (const thrown of [outage, undefined]) {
      const broken = { send: (() => Promise.reject(thrown)) as unknown as SQSClient['send'] };
      const sent = await sendFollowUps(broken, many(3), 1);
      expect(sent).toMatchObject({ sent: 1, all: false, error: expect.any(Error) });
    }
    const broken = { send: (() => Promise.reject(outage)) as unknown as SQSClient['send'] };
    expect((await sendFollowUps(broken, many(3), 0)).error).toBe(outage);
  });

  test('is one that cannot be read, and everything after it', async () => {
    const sqs = sqsTaking(() => true);
    const [first = '', second = ''] = many(2);
    for (const unreadable of ['{"key":1}', 'not JSON', 'null']) {
      const sent = await sendFollowUps(sqs, [first, unreadable, second], 0);
      expect(sent).toMatchObject({ sent: 1, all: false, error: { message: 'follow-up 1 cannot be read' } });
    }
    expect(sqs.bodies()).toEqual([['0'], ['0'], ['0']]);
  });

  test('is none of those sent before the time ran out', async () => {
    const time = new AbortController();
    const sqs = sqsTaking((body) => {
      if (body === '9') time.abort(new Error('time is up'));
      return true;
    });
    const sent = await sendFollowUps(sqs, many(12), 0, { signal: time.signal });
    expect(sent).toEqual({ sent: 10, all: false, error: new Error('time is up') });
    expect(sqs.calls).toHaveLength(1);
  });

  test('is out after enough tries, each going on from what was counted, and in FIFO groups in order', async () => {
    const place = fc.record({ queueUrl: fc.constantFrom(mail, ledger), groupId: fc.constantFrom('a', 'b') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(place, { minLength: 1, maxLength: 25 }),
        fc.infiniteStream(fc.boolean()),
        async (places, luck) => {
          const texts = textsOf(...places.map((each, index) => ({ ...each, body: `${index}` })));
          const taken: number[] = [];
          const sqs = sqsTaking((body) => {
            const takes = luck.next().value ?? true;
            if (takes) taken.push(Number(body));
            return takes;
          });
          let sent = 0;
          for (let tries = 0; sent < texts.length; tries += 1) {
            expect(tries).toBeLessThan(500);
            const round = await sendFollowUps(sqs, texts, sent);
            expect(round.sent).toBeGreaterThanOrEqual(sent);
            expect(round.all).toBe(round.sent === texts.length);
            sent = round.sent;
          }
          const firsts = [...new Set(taken)];
          expect(firsts.toSorted((a, b) => a - b)).toEqual(places.map((_, index) => index));
          for (const group of ['a', 'b']) {
            const inGroup = firsts.filter(
              (index) => places[index]?.queueUrl === ledger && places[index].groupId === group,
            );
            expect(inGroup).toEqual(inGroup.toSorted((a, b) => a - b));
          }
        },
      ),
    );
  });
});

describe('on a real queue', () => {
  let aws: LocalAws;
  beforeAll(async () => {
    aws = await startLocalAws();
  });
  afterAll(() => aws.stop());

  async function receive(QueueUrl: string) {
    const all = { MessageAttributeNames: ['All'], AttributeNames: ['All' as const] };
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...all });
    const { Messages = [] } = await aws.sqs().send(command);
    return Messages;
  }

  test('a follow-up arrives with its key, its attributes and its group', async () => {
    const standard = await aws.createQueuePair({ name: 'receipts' });
    const fifo = await aws.createQueuePair({ name: 'journal', fifo: true });
    const texts = textsOf(
      {
        queueUrl: standard.queueUrl,
        body: { emojiFree: true },
        attributes: { n: 1.5, b: Uint8Array.from([1, 2]) },
      },
      { queueUrl: fifo.queueUrl, body: 'first', groupId: 'A-17' },
      { queueUrl: fifo.queueUrl, body: 'second', groupId: 'B-1' },
    );
    expect(await sendFollowUps(aws.sqs(), texts, 0)).toEqual({ sent: 3, all: true });
    expect(await sendFollowUps(aws.sqs(), texts, 1)).toEqual({ sent: 3, all: true });

    const keyOf = (place: number) => JSON.parse(texts[place] ?? '').key;
    const [receipt] = await receive(standard.queueUrl);
    expect(receipt?.Body).toBe('{"emojiFree":true}');
    expect(receipt?.MessageAttributes).toMatchObject({
      n: { DataType: 'Number', StringValue: '1.5' },
      b: { DataType: 'Binary', BinaryValue: Uint8Array.from([1, 2]) },
      'sqs-once': { StringValue: JSON.stringify({ v: 1, followUp: keyOf(0) }) },
    });
    const journal = [...(await receive(fifo.queueUrl)), ...(await receive(fifo.queueUrl))];
    expect(
      journal.map(({ Body, Attributes }) => [
        Body,
        Attributes?.MessageGroupId,
        Attributes?.MessageDeduplicationId,
      ]),
    ).toEqual([
      ['first', 'A-17', keyOf(1)],
      ['second', 'B-1', keyOf(2)],
    ]);
  });
});
