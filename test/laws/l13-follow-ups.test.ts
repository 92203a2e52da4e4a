/**
 * L13, follow-ups: messages the handler wants sent are recorded with the outcome and sent before the message is
 * acknowledged, at least once, each under a key derived from the parent's scope, key and position, so the next
 * consumer deduplicates them and two consumers of one event never collide.
 */
import { describe, expect, test } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type Engine, type World, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

const next = 'https://sqs.us-east-1.amazonaws.com/000000000000/next';
const modes = ['first', 'with-commit'] as const;
type Mode = (typeof modes)[number];

const sendsTwo = (_message: unknown, { followUps }: Attempt): void => {
  followUps.send({ queueUrl: next, body: { step: 'pack' } });
  followUps.send({ queueUrl: next, body: { step: 'bill' } });
};

interface Sent {
  readonly MessageBody: string;
  readonly MessageAttributes: Readonly<Record<string, { DataType: string; StringValue: string }>>;
}

/** Every follow-up that went out, in order, copies included. */
function sentBy(w: World): readonly Sent[] {
  return w.sqs.inputsOf('SendMessageBatch').flatMap(({ Entries }) => Entries as Sent[]);
}

/** A sent follow-up as the next queue delivers it, under a message id of its own. */
function delivered({ MessageBody, MessageAttributes }: Sent, messageId: string): SqsRecord {
  const messageAttributes = Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType, stringValue: StringValue },
    ]),
  );
  return record(messageId, { body: MessageBody, messageAttributes }, 'next');
}

function refuseFirstSend(w: World): void {
  w.sqs.answer('SendMessageBatch', ({ Entries }, call) => {
    if (call === 1) throw Object.assign(new Error('busy'), { name: 'ServiceUnavailable' });
    return { Successful: Entries.map(({ Id }: { Id: string }) => ({ Id })), Failed: [] };
  });
}

/** A message whose follow-ups SQS refuses once is not done before they are out, and its handler ran once. */
async function sentBeforeAcknowledged(claim: Mode, engine?: Engine): Promise<void> {
  const w = world();
  refuseFirstSend(w);
  let runs = 0;
  const deliver = w.consumer(
    (message: unknown, attempt: Attempt) => {
      runs += 1;
      sendsTwo(message, attempt);
    },
    { claim },
    'consumeOnce',
    engine,
  );
  expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
  expect(w.row('m1')).toMatchObject({ status: 'completed', followUpsSent: 0 });
  expect(w.row('m1')?.followUps).toHaveLength(2);
  expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
  // With the commit nothing is claimed before, so user code may be called again; what it collects does not land.
  expect(runs).toBe(claim === 'first' ? 1 : 2);
  expect(w.row('m1')?.followUps).toBeUndefined();
  expect(
    sentBy(w)
      .slice(2)
      .map(({ MessageBody }) => JSON.parse(MessageBody)),
  ).toEqual([{ step: 'pack' }, { step: 'bill' }]);
}

/** Two copies of one follow-up are one piece of work for the next consumer; two follow-ups are two. */
async function deduplicatedDownTheChain(engine?: Engine): Promise<void> {
  const w = world();
  const parent = w.consumer(sendsTwo, { scope: 'parent' }, 'consumeOnce', engine);
  await parent([record('m1')]);
  const [pack, bill] = sentBy(w);
  if (pack === undefined || bill === undefined) throw new Error('two follow-ups were to be sent');
  const steps: unknown[] = [];
  const child = w.consumer(
    ({ body }: { body: { step: string } }) => void steps.push(body.step),
    { scope: 'child' },
    'consumeOnce',
    engine,
  );
  for (const [place, copy] of [pack, bill, pack, bill].entries()) {
    expect(failedIds(await child([delivered(copy, `copy-${place}`)]))).toEqual([]);
  }
  expect(steps).toEqual(['pack', 'bill']);
}

/** Two consumers of one event derive different keys for what each of them sends. */
async function neverCollide(engine?: Engine): Promise<void> {
  const w = world();
  for (const scope of ['stock', 'billing']) {
    await w.consumer(sendsTwo, { scope }, 'consumeOnce', engine)([record('m1')]);
  }
  const keys = sentBy(w).map(({ MessageAttributes }) => MessageAttributes['sqs-once']?.StringValue);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(4);
}

describe.each(modes)('follow-ups, claim: %s', (claim) => {
  test('are out before their message is acknowledged, and a redelivery sends what is owed', () =>
    sentBeforeAcknowledged(claim));

  test('the twin that acknowledges with follow-ups owed is caught', async () => {
    const engine = await engineWithout('settle/recorded-follow-ups.ts', {
      sendRecordedFollowUps: async () => true,
    });
    await caught(sentBeforeAcknowledged(claim, engine));
  });

  test('are recorded with the outcome or not at all: a refused transaction sends nothing', async () => {
    const w = world();
    const deliver = w.consumer(
      (_message: unknown, attempt: Attempt) => {
        sendsTwo(undefined, attempt);
        attempt.transaction.check({
          TableName: 'ledger',
          Key: { id: 'account' },
          ConditionExpression: 'attribute_exists(id)',
        });
      },
      { claim },
    );
    expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
    expect(w.row('m1')?.followUps).toBeUndefined();
    expect(sentBy(w)).toEqual([]);
  });

  test('of a handler that throws are never sent', async () => {
    const w = world();
    const deliver = w.consumer(
      (message: unknown, attempt: Attempt) => {
        sendsTwo(message, attempt);
        throw new TypeError('no stock');
      },
      { claim },
    );
    expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
    expect(sentBy(w)).toEqual([]);
  });
});

describe('a follow-up’s key', () => {
  test('makes copies of it one piece of work for the next consumer', () => deduplicatedDownTheChain());

  test('the twin whose consumers do not read it is caught', async () => {
    const engine = await engineWithout('arrive/once-attribute.ts', { onceAttributeOf: () => undefined });
    await caught(deduplicatedDownTheChain(engine));
  });

  test('differs between two consumers of one event', () => neverCollide());

  test('the twin whose keys come from the position alone is caught', async () => {
    const { derivedKey } = await import('../../lib/handle/effect-key.ts');
    const engine = await engineWithout('handle/effect-key.ts', {
      derivedKey: (facts: readonly (string | number)[]) => derivedKey(facts.slice(2)),
    });
    await caught(neverCollide(engine));
  });

  test('stays the same when another attempt makes the follow-up again', async () => {
    const w = world();
    let attempts = 0;
    const deliver = w.consumer((message: unknown, attempt: Attempt) => {
      attempts += 1;
      sendsTwo(message, attempt);
      if (attempts === 1) throw new TypeError('once');
    });
    await deliver([record('m1')]);
    await deliver([again(record('m1'))]);
    const other = world();
    await other.consumer(sendsTwo)([record('m1')]);
    expect(sentBy(w)).toEqual(sentBy(other));
  });
});
