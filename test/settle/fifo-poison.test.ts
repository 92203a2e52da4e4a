// Poison in a FIFO group: its group goes on once it is parked, or is held until a person lets it go. Never half
// of each.
import { describe, expect, test } from 'vitest';
import { rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import type { ConsumerOptions } from '../../lib/options.ts';
import { limit } from '../support/claims.ts';
import { parkedIn, storiesIn } from '../support/parking/dead-letters.ts';
import { again, failedIds, fifoRecord } from '../support/records.ts';
import { type Deliver, type World, world } from '../support/rig.ts';

const patient = { maxReceiveCount: 1_000 };
const quarterOfAnHour = 900;

interface Group {
  readonly w: World;
  readonly ran: string[];
  trouble: unknown;
  readonly deliver: Deliver;
}

/** A handler whose `a1` fails as long as it is told to. */
function group(options: Partial<ConsumerOptions<never>>, sqs = patient): Group {
  const w = world({ sqs });
  const ran: string[] = [];
  const state: Group = {
    w,
    ran,
    trouble: new PoisonMessageError('no such currency'),
    deliver: w.consumer(({ key }: { key: string }) => {
      ran.push(key);
      if (key === 'a1' && state.trouble !== undefined) throw state.trouble;
    }, options),
  };
  return state;
}

async function letGo({ w }: Group, how: 'reopen' | 'letGo', claim = rowKey('tests', 'a1')): Promise<void> {
  const row = w.rows().find((standing) => standing.claim === claim);
  if (row === undefined) throw new Error(`there is no row ${claim}`);
  const landing = await w.claims[how](row, 'a person', w.clock.wallMillis(), limit);
  expect(landing.status).toBe('landed');
}

const messages = () => ['a1', 'b1', 'a2', 'a3'].map((id) => fifoRecord(id));

describe('fifoPoison: continue', () => {
  test('runs the rest of the group in the same invocation, right after the poison is parked', async () => {
    const state = group({ fifoPoison: 'continue' });
    expect(failedIds(await state.deliver(messages()))).toEqual([]);
    expect(state.ran.filter((key) => key.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(parkedIn(state.w)).toMatchObject([{ MessageGroupId: 'a' }]);
  });

  test('is what happens where nobody says otherwise', async () => {
    expect(failedIds(await group({}).deliver(messages()))).toEqual([]);
  });

  test('stops the group where the dead-letter queue refuses: nothing overtakes', async () => {
    const state = group({});
    state.w.sqs.answer('SendMessage', () => ({}));
    expect(failedIds(await state.deliver(messages()))).toEqual(['a1', 'a2', 'a3']);
    expect(state.ran).toEqual(['a1', 'b1']);
  });
});

describe('fifoPoison: hold', () => {
  test.each(['first', 'with-commit'] as const)(
    'stops the group at the poison, which comes back every 15 minutes and does not run (claim: %s)',
    async (claim) => {
      const state = group({ fifoPoison: 'hold', claim });
      expect(failedIds(await state.deliver(messages()))).toEqual(['a1', 'a2', 'a3']);
      expect(state.ran).toEqual(['a1', 'b1']);
      let delivery = fifoRecord('a1');
      for (let round = 0; round < 3; round += 1) {
        expect(state.w.sqs.visibility.get(delivery.receiptHandle)).toBe(quarterOfAnHour);
        await state.w.clock.pass(quarterOfAnHour * 1_000);
        delivery = again(delivery);
        expect(failedIds(await state.deliver([delivery]))).toEqual(['a1']);
      }
      expect(state.ran).toEqual(['a1', 'b1']);
      expect(parkedIn(state.w)).toEqual([]);
      expect(state.w.row('a1')).toMatchObject({ status: 'released', reason: 'poison' });
    },
  );

  test('holds at the last attempt too, and at one that crashed', async () => {
    const state = group({ fifoPoison: 'hold', maxAttempts: 1 });
    state.trouble = new TypeError('no such order');
    await state.deliver([fifoRecord('a1')]);
    expect(state.w.row('a1')).toMatchObject({ status: 'released', reason: 'attempts-exhausted' });
  });

  test('does not mind what asks for later', async () => {
    const state = group({ fifoPoison: 'hold' });
    state.trouble = new RetryLaterError({ afterSeconds: 30 });
    await state.deliver([fifoRecord('a1')]);
    state.trouble = undefined;
    expect(failedIds(await state.deliver([again(fifoRecord('a1'))]))).toEqual([]);
  });

  test.each(['first', 'with-commit'] as const)(
    'goes on when a person lets go: the message runs as a first attempt (claim: %s)',
    async (claim) => {
      const state = group({ fifoPoison: 'hold', claim });
      await state.deliver(messages());
      await letGo(state, 'reopen');
      state.trouble = undefined;
      expect(failedIds(await state.deliver([again(fifoRecord('a1')), fifoRecord('a2')]))).toEqual([]);
      expect(state.ran).toEqual(['a1', 'b1', 'a1', 'a2']);
    },
  );

  test.each(['first', 'with-commit'] as const)(
    'goes on without the message when a person says so: it is parked and does not run (claim: %s)',
    async (claim) => {
      const state = group({ fifoPoison: 'hold', claim });
      await state.deliver(messages());
      await letGo(state, 'letGo');
      expect(failedIds(await state.deliver([again(fifoRecord('a1')), fifoRecord('a2')]))).toEqual([]);
      expect(state.ran).toEqual(['a1', 'b1', 'a2']);
      expect(storiesIn(state.w)).toMatchObject([{ reason: 'let-go', key: 'a1' }]);
    },
  );

  test('of a message that can never run ends that way too', async () => {
    const state = group({ fifoPoison: 'hold' });
    const unreadable = fifoRecord('a1', { body: '{"cut of' });
    expect(failedIds(await state.deliver([unreadable, fifoRecord('a2')]))).toEqual(['a1', 'a2']);
    expect(failedIds(await state.deliver([again(unreadable)]))).toEqual(['a1']);
    await letGo(state, 'letGo', unkeyedRowKey('tests', 'a1'));
    expect(failedIds(await state.deliver([again(unreadable), fifoRecord('a2')]))).toEqual([]);
    expect(storiesIn(state.w)).toMatchObject([{ reason: 'unparseable' }]);
  });

  test('ends with the last delivery: SQS moves the message away in any case, so it leaves with its story', async () => {
    const state = group({ fifoPoison: 'hold' }, { maxReceiveCount: 2 });
    expect(failedIds(await state.deliver([fifoRecord('a1')]))).toEqual(['a1']);
    expect(failedIds(await state.deliver([again(fifoRecord('a1')), fifoRecord('a2')]))).toEqual([]);
    expect(storiesIn(state.w)).toMatchObject([{ reason: 'poison' }]);
    expect(state.ran).toEqual(['a1', 'a2']);
  });

  test('in a standard queue means nothing: a fair queue’s group is no lane', async () => {
    const state = group({ fifoPoison: 'hold' });
    const fair = { ...fifoRecord('a1'), eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:test-queue' };
    expect(failedIds(await state.deliver([fair]))).toEqual([]);
    expect(storiesIn(state.w)).toMatchObject([{ reason: 'poison' }]);
  });
});
