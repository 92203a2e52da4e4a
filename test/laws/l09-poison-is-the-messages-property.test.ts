// L9: poison is the message's property. Attempts are counted in the claim before user code starts, so the
// limit survives any crash of the worker, and no receive that was not an attempt counts.
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../lib/claim/claim-message.ts';
import * as rule from '../../lib/claim/decide.ts';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import * as gates from '../../lib/handle/gate.ts';
import type * as lastDelivery from '../../lib/settle/last-delivery.ts';
import type { ClaimStore } from '../../lib/store/port.ts';
import { awsError } from '../support/faulty-table.ts';
import { settled, startMillis } from '../support/hand-clock.ts';
import { crashedRow, parkedIn, storiesIn } from '../support/parking/dead-letters.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout, type Law } from '../support/twins.ts';

type LawOfPoison = Law<WorldOptions>;

/** A queue that gives up only after many receives, so that attempts decide. */
const patient = { maxReceiveCount: 100 };

const failing = () => {
  throw new TypeError('no such order');
};

const countsBeforeUserCode: LawOfPoison = async (twin) => {
  const w = world(twin);
  const inTable: (number | undefined)[] = [];
  const deliver = w.consumer(() => {
    inTable.push(w.row('m1')?.attempts);
    failing();
  });
  await deliver([record('m1')]);
  await deliver([again(record('m1'))]);
  expect(inTable).toEqual([1, 2]);
};

const crashedLastAttemptParks: LawOfPoison = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  w.seed(crashedRow('m1', 5));
  let ran = 0;
  const deliver = w.consumer(() => {
    ran += 1;
  });
  const response = await deliver([again(record('m1'), 2)]);
  expect({ ran, failed: failedIds(response), status: w.row('m1')?.status }).toEqual({
    ran: 0,
    failed: [],
    status: 'parked',
  });
  expect(storiesIn(w)).toMatchObject([
    { reason: 'attempts-exhausted', attempts: 5, error: { message: expect.stringContaining('unknown') } },
  ]);
};

const lastThrowParksAtOnce: LawOfPoison = async (twin) => {
  const w = world({ ...twin, sqs: patient });
  const deliver = w.consumer(failing, { maxAttempts: 3 });
  const answers = [];
  let delivery = record('m1');
  for (let receive = 1; receive <= 3; receive += 1) {
    answers.push(failedIds(await deliver([delivery])));
    delivery = again(delivery);
  }
  expect(answers).toEqual([['m1'], ['m1'], []]);
  expect(storiesIn(w)).toMatchObject([
    { reason: 'attempts-exhausted', attempts: 3, error: { name: 'TypeError', message: 'no such order' } },
  ]);
};

const lastDeliveryParks: LawOfPoison = async (twin) => {
  const w = world({ ...twin, sqs: { maxReceiveCount: 4 } });
  const deliver = w.consumer(failing);
  expect(failedIds(await deliver([again(record('m1'), 3)]))).toEqual(['m1']);
  expect(failedIds(await deliver([again(record('m1'), 4)]))).toEqual([]);
  expect(storiesIn(w)).toMatchObject([{ reason: 'last-delivery', attempts: 2, receives: 4 }]);
};

const runsAlone: LawOfPoison = async (twin) => {
  const w = world(twin);
  w.seed(crashedRow('suspect'));
  let running = 0;
  let most = 0;
  const beside: Record<string, number> = {};
  const deliver = w.consumer(async ({ key }: { key: string }) => {
    running += 1;
    most = Math.max(most, running);
    beside[key] = running;
    await settled();
    beside[key] = Math.max(beside[key] ?? 0, running);
    running -= 1;
  });
  await deliver(['a', 'suspect', 'b', 'c'].map((id) => record(id)));
  expect(beside.suspect).toBe(1);
  expect(most).toBeGreaterThan(1);
};

describe('attempts decide', () => {
  test('an attempt is in the table before its handler starts', () => countsBeforeUserCode({}));

  test('a last attempt that crashed is parked by the next delivery and does not run', () =>
    crashedLastAttemptParks({}));

  test("the last attempt's throw parks at once, with its error", () => lastThrowParksAtOnce({}));

  test('attempts at the limit park at the very first receive too', async () => {
    const w = world();
    w.seed({ ...crashedRow('m1', 5), status: 'released', lastError: 'TypeError: no such order' });
    const deliver = w.consumer(() => expect.unreachable());
    expect(failedIds(await deliver([record('m1')]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([{ error: { name: 'TypeError', message: 'no such order' } }]);
  });

  test.each([1, 99])('a message without an attempt runs at receive %i', async (receives) => {
    const w = world({ sqs: patient });
    const deliver = w.consumer(() => 'done');
    expect(failedIds(await deliver([record('m1', { receives })]))).toEqual([]);
    expect(w.row('m1')?.status).toBe('completed');
    expect(parkedIn(w)).toEqual([]);
  });

  test('poison is parked at its first attempt, whatever attempts are left', async () => {
    const w = world();
    const deliver = w.consumer(() => {
      throw new PoisonMessageError('no such currency');
    });
    expect(failedIds(await deliver([record('m1')]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([
      { reason: 'poison', attempts: 1, error: { name: 'PoisonMessageError', message: 'no such currency' } },
    ]);
  });

  test('a message asked for later twenty times was never an attempt', async () => {
    const w = world({ sqs: patient });
    const numbers: number[] = [];
    const deliver = w.consumer((_, attempt) => {
      numbers.push(attempt.number);
      if (numbers.length <= 20) throw new RetryLaterError({ afterSeconds: 30 });
    });
    let delivery = record('m1');
    for (let receive = 1; receive <= 20; receive += 1) {
      expect(failedIds(await deliver([delivery]))).toEqual(['m1']);
      expect(w.sqs.visibility.get(delivery.receiptHandle)).toBe(30);
      delivery = again(delivery);
    }
    expect(failedIds(await deliver([delivery]))).toEqual([]);
    expect(numbers).toEqual(Array.from({ length: 21 }, () => 1));
    expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
    expect(w.seen.story('m1').filter((type) => type === 'deferred')).toHaveLength(20);
  });
});

describe('the last delivery before SQS moves the message away', () => {
  test('parks a failing message with its reason', () => lastDeliveryParks({}));

  test('parks a message that asks for later, for there is no later', async () => {
    const w = world({ sqs: { maxReceiveCount: 2 } });
    const deliver = w.consumer(() => {
      throw new RetryLaterError({ afterSeconds: 30 });
    });
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([{ reason: 'last-delivery' }]);
  });

  test('acknowledges one that completes', async () => {
    const w = world({ sqs: { maxReceiveCount: 2 } });
    const deliver = w.consumer(() => 'done');
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(parkedIn(w)).toEqual([]);
  });

  test('returns one that never started: the table was gone', async () => {
    const w = world({ sqs: { maxReceiveCount: 2 } });
    w.faults.intercept(() => {
      throw awsError('ThrottlingException');
    });
    const deliver = w.consumer(() => expect.unreachable());
    expect(failedIds(await w.clock.until(deliver([again(record('m1'))], w.clock.context(3_000))))).toEqual([
      'm1',
    ]);
    expect(parkedIn(w)).toEqual([]);
  });

  test('returns one that runs elsewhere', async () => {
    const w = world({ sqs: { maxReceiveCount: 2 } });
    w.seed({ ...crashedRow('m1', 5), leaseEndsAt: startMillis + 60_000 });
    const deliver = w.consumer(() => expect.unreachable());
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual(['m1']);
    expect(parkedIn(w)).toEqual([]);
  });
});

describe('a completed message', () => {
  test('is acknowledged at every one of ten redeliveries and never parked', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done');
    let delivery = record('m1');
    for (let receive = 1; receive <= 10; receive += 1) {
      expect(failedIds(await deliver([delivery]))).toEqual([]);
      delivery = again(delivery);
    }
    expect(w.seen.story('m1')).toEqual([
      'claimed',
      'completed',
      ...Array.from({ length: 9 }, () => 'duplicate'),
    ]);
    expect(parkedIn(w)).toEqual([]);
  });
});

describe('under with-commit, where receives are all that is counted', () => {
  const withCommit = { claim: 'with-commit', maxAttempts: 3 } as const;

  test('a completed message at the limit is acknowledged', async () => {
    const w = world({ sqs: patient });
    const deliver = w.consumer(() => 'done', withCommit);
    await deliver([record('m1')]);
    expect(failedIds(await deliver([again(record('m1'), 3)]))).toEqual([]);
    expect(failedIds(await deliver([again(record('m1'), 9)]))).toEqual([]);
    expect(parkedIn(w)).toEqual([]);
  });

  test('the message runs once more at the limit, under a claim, and its throw parks it', async () => {
    const w = world({ sqs: patient });
    const claimedBefore: unknown[] = [];
    const deliver = w.consumer(() => {
      claimedBefore.push(w.row('m1')?.status);
      failing();
    }, withCommit);
    const answers = [];
    let delivery = record('m1');
    for (let receive = 1; receive <= 3; receive += 1) {
      answers.push(failedIds(await deliver([delivery])));
      delivery = again(delivery);
    }
    expect(answers).toEqual([['m1'], ['m1'], []]);
    expect(claimedBefore).toEqual([undefined, undefined, 'leased']);
    expect(storiesIn(w)).toMatchObject([{ reason: 'attempts-exhausted', receives: 3 }]);
  });

  test('one that killed its worker at the limit is parked by the next delivery and does not run', async () => {
    const w = world({ sqs: patient });
    w.seed(crashedRow('m1', 1));
    const deliver = w.consumer(() => expect.unreachable(), withCommit);
    expect(failedIds(await deliver([again(record('m1'), 4)]))).toEqual([]);
    expect(w.row('m1')?.status).toBe('parked');
  });

  test('asked for later at the limit it comes again, as often as it asks', async () => {
    const w = world({ sqs: patient });
    let later = 4;
    const deliver = w.consumer(() => {
      later -= 1;
      if (later >= 0) throw new RetryLaterError({ afterSeconds: 30 });
    }, withCommit);
    const answers = [];
    for (let receives = 3; receives <= 7; receives += 1) {
      answers.push(failedIds(await deliver([again(record('m1'), receives)])));
    }
    expect(answers).toEqual([['m1'], ['m1'], ['m1'], ['m1'], []]);
    expect(parkedIn(w)).toEqual([]);
  });

  test('an old message that failed once is not at its limit', async () => {
    const w = world({ sqs: patient });
    w.seed({ ...crashedRow('m1', 1), status: 'released' });
    const deliver = w.consumer(failing, { ...withCommit, retentionSeconds: 60 });
    const old = record('m1', { receives: 2, sentAt: new Date(startMillis - 120_000) });
    expect(failedIds(await deliver([old]))).toEqual(['m1']);
    expect(w.row('m1')).toMatchObject({ status: 'released', attempts: 2 });
  });
});

/** While this one's last row is found exhausted, another message of its key is parked: its work comes back with it. */
const attemptsRestart: LawOfPoison = async (twin) => {
  const w = world(twin);
  const spent = crashedRow('order-1', 5);
  w.seed({ ...spent, messageId: 'm0' });
  const deliver = w.consumer(() => 'done', { key: () => 'order-1' });
  w.faults.intercept((call) => {
    const isToPark = call.purpose === 'acquire' && call.count === 2;
    if (isToPark)
      w.seed({ ...spent, messageId: 'm0', status: 'parked', fence: 6, owner: 'its parker', parkId: 'p' });
    return call.make();
  });
  expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
  w.faults.heal();
  expect(storiesIn(w)).toEqual([]);
  expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
  expect(w.row('order-1')).toMatchObject({ status: 'completed', attempts: 1 });
};

test('attempts that restarted before the parking was claimed do not park', () => attemptsRestart({}));

describe('after an attempt whose end is unknown', () => {
  test('a message runs alone in its process, its neighbours beside each other', () => runsAlone({}));

  test('it still does when the attempt that took over was given back before it started', async () => {
    const w = world();
    w.seed(crashedRow('suspect'));
    const running = new Set<string>();
    const met: (readonly [key: string, others: number, endedAt: Date | undefined])[] = [];
    const deliver = w.consumer(async ({ key }: { key: string }, { previousAttempt }) => {
      met.push([key, running.size, previousAttempt?.endedAt]);
      running.add(key);
      await settled();
      running.delete(key);
    });
    w.faults.intercept(async (call) => {
      await call.make();
      // Its claim took so long that there is no time left to start.
      if (call.purpose === 'acquire') w.clock.jump({ wall: 29_500, monotonic: 29_500 });
    });
    expect(failedIds(await deliver([record('suspect')], w.clock.context(30_000)))).toEqual(['suspect']);
    expect(w.row('suspect')).toMatchObject({ status: 'released', attempts: 1, reason: 'end-unknown' });
    w.faults.heal();
    const both = [record('neighbour'), record('suspect')];
    expect(failedIds(await deliver(both, w.clock.context(30_000)))).toEqual([]);
    expect(met).toEqual([
      ['neighbour', 0, undefined],
      ['suspect', 0, undefined],
    ]);
    expect(w.seen.of('taken-over')).toHaveLength(2);
  });

  test('it is parked instead, where that is asked for', async () => {
    const w = world();
    w.seed(crashedRow('m1'));
    const deliver = w.consumer(() => expect.unreachable(), { abandoned: 'park' });
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([{ reason: 'abandoned', attempts: 1 }]);
  });

  test('it is parked even if brought back, when another copy of it was tried and left without a word too', async () => {
    const w = world();
    const crashed = crashedRow('m1');
    w.seed(crashed);
    const mark = JSON.stringify({ v: 1, messageId: 'm1', redrive: 'a redrive' });
    const back = record('m2', {
      messageAttributes: { 'sqs-once': { dataType: 'String', stringValue: mark } },
    });
    const deliver = w.consumer(() => expect.unreachable(), { abandoned: 'park' });
    w.faults.intercept((call) => {
      if (call.purpose === 'acquire' && call.count === 2)
        w.seed({ ...crashed, fence: 2, redrive: 'a redrive' });
      return call.make();
    });
    expect(failedIds(await deliver([back]))).toEqual([]);
    expect(storiesIn(w)).toMatchObject([{ reason: 'abandoned' }]);
  });

  test('it runs all the same once a person brought it back from where SQS had moved it', async () => {
    const w = world();
    w.seed(crashedRow('m1'));
    const mark = JSON.stringify({ v: 1, messageId: 'm1', redrive: 'a redrive' });
    const back = record('m2', {
      messageAttributes: { 'sqs-once': { dataType: 'String', stringValue: mark } },
    });
    const deliver = w.consumer(() => 'done', { abandoned: 'park' });
    expect(failedIds(await deliver([back]))).toEqual([]);
    expect(storiesIn(w)).toEqual([]);
    expect(w.row('m1')).toMatchObject({ status: 'completed', attempts: 1 });
  });
});

describe('a broken twin is caught', () => {
  test('that counts an attempt only when it ends', () =>
    caught(countsBeforeUserCode({ store: countingAtTheEnd })));

  test('that lets an exhausted row be taken', async () => {
    const decide: typeof rule.decide = (row, wish) => {
      const decision = rule.decide(row, wish);
      if (decision.status !== 'exhausted') return decision;
      return { status: 'free', taking: 'continued', over: decision.row };
    };
    const engine = await engineWithout('claim/decide.ts', { decide });
    await caught(crashedLastAttemptParks({ engine }));
  });

  test('that never thinks an attempt the last', () =>
    caught(lastThrowParksAtOnce({ store: forgettingAttempts })));

  test('that does not know the last delivery', async () => {
    const isLastDelivery: typeof lastDelivery.isLastDelivery = async () => false;
    const engine = await engineWithout('settle/last-delivery.ts', { isLastDelivery });
    await caught(lastDeliveryParks({ engine }));
  });

  test('whose gate lets everybody run beside', async () => {
    const open = gates.createGate();
    const processGate: gates.Gate = { ...open, enter: (_, giveUp) => open.enter('beside', giveUp) };
    const engine = await engineWithout('handle/gate.ts', { processGate });
    await caught(runsAlone({ engine }));
  });
});

function countingAtTheEnd(store: ClaimStore): ClaimStore {
  return {
    ...store,
    acquire: (row, over, limit) => store.acquire({ ...row, attempts: row.attempts - 1 }, over, limit),
    release: (claim, release, limit) =>
      store.release(claim, { ...release, attempts: (claim as Claim).row.attempts }, limit),
  };
}

function forgettingAttempts(store: ClaimStore): ClaimStore {
  return {
    ...store,
    release: (claim, release, limit) => store.release(claim, { ...release, attempts: 0 }, limit),
  };
}
