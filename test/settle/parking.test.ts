// Parking: recorded, sent, marked, acknowledged, in this order, and every half of it that fails is made good.
import { describe, expect, test } from 'vitest';
import { rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { deadLetterQueueUrl } from '../support/fake-sqs.ts';
import { awsError } from '../support/faulty-table.ts';
import {
  crashedRow,
  deadLetterOf,
  parkedIn,
  redriven,
  storiesIn,
  storyOf,
} from '../support/parking/dead-letters.ts';
import { again, bodyOf, failedIds, record } from '../support/records.ts';
import { type World, world } from '../support/rig.ts';

const poison = () => {
  throw new PoisonMessageError('no such currency');
};

const patient = { maxReceiveCount: 100 };

function refused(name: string) {
  return () => {
    throw Object.assign(new Error(name), { name });
  };
}

describe('one step after the other', () => {
  test('the row says parked before the queue has the message, and is told when it has', async () => {
    const w = world();
    const atSend: unknown[] = [];
    w.sqs.answer('SendMessage', () => {
      atSend.push([w.row('m1')?.status, w.row('m1')?.parkSent]);
      return { MessageId: 'dead-letter-1' };
    });
    expect(failedIds(await w.consumer(poison)([record('m1')]))).toEqual([]);
    expect(atSend).toEqual([['parked', false]]);
    expect(w.row('m1')).toMatchObject({ status: 'parked', parkSent: true, reason: 'poison' });
    expect(parkedIn(w)).toMatchObject([
      { QueueUrl: deadLetterQueueUrl, MessageBody: JSON.stringify(bodyOf('m1')) },
    ]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'parked']);
  });

  test('who lost the claim meanwhile sends nothing', async () => {
    const w = world();
    const deliver = w.consumer(() => {
      w.seed({ ...(w.row('m1') as ClaimRow), fence: 2, owner: 'another' });
      poison();
    });
    expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
    expect(w.seen.story('m1')).toEqual(['claimed', 'fenced-out']);
    expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
    expect(w.sqs.visibility.size).toBe(0);
  });
});

describe('a dead-letter queue that refuses', () => {
  test.each([
    ['by an error', refused('QueueDoesNotExist')],
    [
      'by an answer of 200 that lists the message as failed',
      () => ({ Failed: [{ Id: '0', Code: 'InternalError' }] }),
    ],
    ['by an empty answer', () => ({})],
  ])('%s leaves the message failed, tells so once and does not loop', async (_, answer) => {
    const w = world();
    w.sqs.answer('SendMessage', answer);
    expect(failedIds(await w.consumer(poison)([record('m1')]))).toEqual(['m1']);
    expect(w.seen.story('m1')).toEqual(['claimed', 'park-failed']);
    expect(parkedIn(w)).toHaveLength(1);
    expect(w.row('m1')).toMatchObject({ status: 'parked', parkSent: false });
    expect(w.sqs.visibility.get('receipt handle of m1')).toBeGreaterThan(0);
  });

  test('gets the message at its redelivery, under the same park id, and the handler does not run again', async () => {
    const w = world();
    let ran = 0;
    const deliver = w.consumer(() => {
      ran += 1;
      poison();
    });
    w.sqs.answer('SendMessage', refused('ThrottlingException'));
    await deliver([record('m1')]);
    w.sqs.answer('SendMessage', () => ({ MessageId: 'dead-letter-1' }));
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    const [first, second] = storiesIn(w);
    expect(second).toMatchObject({ ...first, receives: 2 });
    expect({ ran, parkSent: w.row('m1')?.parkSent }).toEqual({ ran: 1, parkSent: true });
  });

  test('for the size of the message gets it without our attribute; the row keeps the story', async () => {
    const w = world();
    w.sqs.answer('SendMessage', (message) =>
      storyOf(message) === undefined ? { MessageId: 'dead-letter-1' } : refused('InvalidParameterValue')(),
    );
    const messageAttributes = { mine: { dataType: 'String', stringValue: 'stays' } };
    expect(failedIds(await w.consumer(poison)([record('m1', { messageAttributes })]))).toEqual([]);
    expect(parkedIn(w)[1]?.MessageAttributes).toEqual({ mine: { DataType: 'String', StringValue: 'stays' } });
    expect(w.row('m1')).toMatchObject({ parkSent: true, lastError: 'PoisonMessageError: no such currency' });
  });

  test('even without our attribute is asked no third time', async () => {
    const w = world();
    w.sqs.answer('SendMessage', refused('InvalidParameterValue'));
    expect(failedIds(await w.consumer(poison)([record('m1')]))).toEqual(['m1']);
    expect(parkedIn(w)).toHaveLength(2);
  });
});

describe('a worker that dies', () => {
  const recorded = { ...crashedRow('m1'), status: 'parked', parkId: 'park-1', reason: 'poison' } as const;

  /** The row store keeps booleans; the world's seed knows texts and numbers, so the row is parked for real. */
  async function parkedUnsent(w: World, message = record('m1')): Promise<void> {
    w.sqs.answer('SendMessage', refused('died'));
    await w.consumer(poison)([message]);
    w.sqs.answer('SendMessage', (_, call) => ({ MessageId: `dead-letter-${call}` }));
  }

  test('between recording and sending leaves a message that the next delivery sends', async () => {
    const w = world();
    w.seed(recorded);
    expect(failedIds(await w.consumer(() => expect.unreachable())([again(record('m1'))]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([{ parkId: 'park-1', reason: 'poison', attempts: 1 }]);
    expect(w.row('m1')?.parkSent).toBe(true);
  });

  test('between sending and marking costs one copy more, with the same park id, that redrives once', async () => {
    const w = world();
    let trouble = true;
    let completed = 0;
    const deliver = w.consumer(() => {
      if (trouble) poison();
      completed += 1;
    });
    w.faults.intercept((call) => {
      if (call.purpose === 'markParked') throw awsError('AbortError');
      return call.make();
    });
    await w.clock.until(deliver([record('m1')], w.clock.context(3_000)));
    w.faults.heal();
    await deliver([again(record('m1'))]);
    const copies = parkedIn(w).map((parked, place) => deadLetterOf(parked, `dead-letter-${place + 1}`));
    expect(new Set(copies.map(({ once }) => once?.parkId)).size).toBe(1);
    expect(copies).toHaveLength(2);

    trouble = false;
    for (const [place, copy] of copies.entries()) {
      expect(failedIds(await deliver([redriven(copy, `redriven-${place}`)]))).toEqual([]);
    }
    expect(completed).toBe(1);
  });

  test('after marking leaves a message that is acknowledged, and no second copy', async () => {
    const w = world();
    const deliver = w.consumer(poison);
    await deliver([record('m1')]);
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(parkedIn(w)).toHaveLength(1);
  });

  test('leaves another copy of one redrive waiting until the parking is sent', async () => {
    const w = world();
    const back = { v: 1, scope: 'tests', key: 'm0', parkId: 'an earlier parking', messageId: 'm0' };
    const messageAttributes = {
      'sqs-once': { dataType: 'String', stringValue: JSON.stringify(back) },
    };
    await parkedUnsent(w, record('m1', { messageAttributes }));
    const deliver = w.consumer(() => expect.unreachable());
    expect(failedIds(await deliver([record('m2', { messageAttributes })]))).toEqual(['m2']);
    expect(failedIds(await deliver([again(record('m1', { messageAttributes }))]))).toEqual([]);
    expect(failedIds(await deliver([record('m2', { messageAttributes })]))).toEqual([]);
  });
});

describe('without a dead-letter queue', () => {
  test('a message is left to the queue’s own policy: failed, told loudly, and never run again', async () => {
    const w = world({ sqs: { deadLetterQueue: false } });
    let ran = 0;
    const deliver = w.consumer(() => {
      ran += 1;
      poison();
    });
    const answers = [];
    let delivery = record('m1');
    for (let receive = 1; receive <= 3; receive += 1) {
      answers.push(failedIds(await deliver([delivery])));
      delivery = again(delivery);
    }
    expect(answers).toEqual([['m1'], ['m1'], ['m1']]);
    expect(ran).toBe(1);
    expect(w.seen.of('park-failed')).toMatchObject([
      { reason: 'poison: no dead-letter queue is known', error: { name: 'PoisonMessageError' } },
      { reason: 'poison: no dead-letter queue is known' },
      { reason: 'poison: no dead-letter queue is known' },
    ]);
    expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
    expect(w.row('m1')?.status).toBe('released');
  });

  test('one that may not be looked up is none, and the lookup is not waited for past the deadline', async () => {
    const w = world();
    w.sqs.answer('GetQueueAttributes', () => new Promise(() => {}));
    const answer = w.clock.until(w.consumer(poison)([record('m1')], w.clock.context(5_000)));
    expect(failedIds(await answer)).toEqual(['m1']);
  });
});

describe('a key that stands for another payload', () => {
  const keyed = { key: () => 'order-1' } as const;

  test('parks the second message under its own id and leaves the first one’s row alone', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done', keyed);
    await deliver([record('m1')]);
    const before = w.row('order-1');
    expect(failedIds(await deliver([record('m2', { body: { id: 'other' } })]))).toEqual([]);
    expect(w.row('order-1')).toEqual(before);
    expect(storiesIn(w)).toMatchObject([{ reason: 'key-reused', messageId: 'm2' }]);
    expect(storiesIn(w)[0]).not.toHaveProperty('key');
    const parkedRow = w.rows().find(({ claim }) => claim === unkeyedRowKey('tests', 'm2'));
    expect(parkedRow).toMatchObject({ status: 'parked', parkSent: true });
  });

  test.each([
    ['the second of one event', ['m1', 'm2'], ['m2']],
    ['the first of one event, whose second it stands for', ['m2', 'm1'], ['m2']],
  ])('parks %s, and not the other', async (_, ids, parked) => {
    const w = world();
    const deliver = w.consumer(() => 'done', keyed);
    if (ids[0] === 'm2') await deliver([record('m0', { body: bodyOf('m1') })]);
    const event = ids.map((id) => record(id));
    await w.clock.until(deliver(event));
    expect(storiesIn(w)).toMatchObject(parked.map((messageId) => ({ reason: 'key-reused', messageId })));
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(w.row('order-1')?.status).toBe('completed');
    expect(storiesIn(w)).toHaveLength(1);
  });

  test('is parked again by a redrive, as long as it does', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done', keyed);
    await deliver([record('m1')]);
    await deliver([record('m2', { body: { id: 'other' } })]);
    await deliver([redriven(deadLetterOf(parkedIn(w)[0] as never, 'dead-letter-1'), 'm3')]);
    const [first, second] = storiesIn(w);
    expect(second).toMatchObject({ reason: 'key-reused', messageId: 'm2' });
    expect(second?.parkId).not.toBe(first?.parkId);
    expect(w.rows().map(({ claim }) => claim)).toEqual([
      rowKey('tests', 'order-1'),
      unkeyedRowKey('tests', 'm2'),
    ]);
  });
});

describe('what is wrong with the deployment', () => {
  test('is not parked: a table that may not be written fails the invocation', async () => {
    const w = world({ sqs: patient });
    w.faults.intercept((call) => {
      if (call.purpose === 'park') throw awsError('AccessDeniedException');
      return call.make();
    });
    await expect(w.consumer(poison)([record('m1')])).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
  });

  test('a table that does not answer leaves the message failed, to be parked later', async () => {
    const w = world({ sqs: patient });
    w.faults.intercept((call) => {
      if (call.purpose === 'park') throw awsError('ThrottlingException');
      return call.make();
    });
    const deliver = w.consumer(poison);
    expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(3_000))))).toEqual(['m1']);
    expect(w.seen.story('m1')).toEqual(['claimed', 'park-failed']);
    w.faults.heal();
    await w.clock.pass(60_000);
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(w.row('m1')).toMatchObject({ status: 'parked', attempts: 2 });
  });
});

test('a failure’s text never holds the body, in the attribute or in the row', async () => {
  const w = world();
  const deliver = w.consumer(() => 'done');
  await deliver([record('m1', { body: '{"card": 4242424242424242, oops' })]);
  const [parked] = parkedIn(w);
  const told = JSON.stringify([storiesIn(w), w.rows(), w.seen.events.map(({ error }) => error?.message)]);
  expect(parked?.MessageBody).toContain('4242424242424242');
  expect(told).toContain('unparseable');
  expect(told).not.toContain('4242424242424242');
});
