// L10: redrive reopens. A message brought back from the dead-letter queue runs again under its original key,
// though SQS gives it a new message id. If its work had completed after all, it is acknowledged, not repeated.
import { describe, expect, test } from 'vitest';
import * as attribute from '../../lib/arrive/once-attribute.ts';
import * as claims from '../../lib/claim/claim-row.ts';
import * as rule from '../../lib/claim/decide.ts';
import { EffectKeyExpiredError, PoisonMessageError } from '../../lib/errors.ts';
import type { DeadLetter } from '../../lib/redrive/dead-letter.ts';
import { markOf } from '../../lib/redrive/redriven-message.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { startMillis } from '../support/hand-clock.ts';
import {
  crashedRow,
  deadLetterOf,
  movedBySqs,
  parkedIn,
  redriven,
  redrivenByConsole,
  storiesIn,
} from '../support/parking/dead-letters.ts';
import { again, bodyOf, failedIds, record } from '../support/records.ts';
import { type Deliver, type World, type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout, type Law } from '../support/twins.ts';

type LawOfRedrive = Law<WorldOptions>;

interface Life {
  readonly w: World;
  /** What the handler was given, run by run. */
  readonly runs: { readonly key: string; readonly attempt: number; readonly effect: string }[];
  /** While this is set the handler throws it. */
  trouble: Error | undefined;
  readonly deliver: Deliver;
}

/** A world and a handler that fails as long as it is told to. */
function life(twin: WorldOptions, options = {}): Life {
  const w = world({ sqs: { maxReceiveCount: 100 }, ...twin });
  const runs: Life['runs'] = [];
  const state: Life = {
    w,
    runs,
    trouble: new PoisonMessageError('no such currency'),
    deliver: w.consumer(({ key }: { key: string }, attempt) => {
      runs.push({ key, attempt: attempt.number, effect: attempt.effectKey('capture') });
      if (state.trouble !== undefined) throw state.trouble;
      return 'done';
    }, options),
  };
  return state;
}

/** Two messages of one key were parked under the first new effects; one of them comes back with newer ones. */
const generationsOnlyRise: LawOfRedrive = async (twin) => {
  const state = await parkedOnce(twin, { key: () => 'one', fingerprint: false });
  await state.deliver([redriven(state.letter, 'm2', { effects: startMillis + 1 })]);
  await state.deliver([record('m3')]);
  await state.deliver([redriven(letterAt(state.w, 2), 'm4', { effects: startMillis + 2 })]);
  await state.deliver([redriven(letterAt(state.w, 1), 'm5')]);
  const effects = state.runs.map(({ effect }) => effect);
  expect(new Set(effects).size).toBe(3);
  expect(effects.at(-1)).toBe(effects.at(-2));
};

/** A message's first life: it runs, and is parked. */
async function parkedOnce(twin: WorldOptions, options = {}): Promise<Life & { readonly letter: DeadLetter }> {
  const state = life(twin, options);
  await state.deliver([record('m1')]);
  return Object.assign(state, { letter: letterAt(state.w, 0) });
}

function letterAt(w: World, place: number): DeadLetter {
  const parked = parkedIn(w)[place];
  if (parked === undefined) throw new Error(`nothing was parked in place ${place}`);
  return deadLetterOf(parked, `dead-letter-${place + 1}`);
}

const runsUnderItsKey: LawOfRedrive = async (twin) => {
  const state = await parkedOnce(twin);
  state.trouble = undefined;
  expect(failedIds(await state.deliver([redriven(state.letter, 'm2')]))).toEqual([]);
  expect(state.runs.map(({ key }) => key)).toEqual(['m1', 'm1']);
  expect(state.w.rows().map(({ claim, status }) => [claim, status])).toEqual([['tests#m1', 'completed']]);
};

const startsAfresh: LawOfRedrive = async (twin) => {
  const state = await parkedOnce(twin);
  const parked = state.w.row('m1') as ClaimRow;
  await state.w.clock.pass(3_600_000);
  state.trouble = undefined;
  await state.deliver([redriven(state.letter, 'm2')]);
  expect(state.w.row('m1')).toMatchObject({ fence: parked.fence + 1, firstClaimedAt: parked.firstClaimedAt });
  expect(state.runs.map(({ attempt }) => attempt)).toEqual([1, 1]);
  expect(state.runs[1]?.effect).toBe(state.runs[0]?.effect);
};

const countsOnce: LawOfRedrive = async (twin) => {
  const state = await parkedOnce(twin);
  state.trouble = new TypeError('still broken');
  expect(failedIds(await state.deliver([redriven(state.letter, 'm2')]))).toEqual(['m2']);
  expect(failedIds(await state.deliver([redriven(state.letter, 'm3')]))).toEqual(['m3']);
  expect(state.runs.map(({ attempt }) => attempt)).toEqual([1, 1, 2]);
};

const staleMarkIsAcknowledged: LawOfRedrive = async (twin) => {
  const state = await parkedOnce(twin);
  await state.deliver([redriven(state.letter, 'm2')]);
  expect(storiesIn(state.w)).toHaveLength(2);
  expect(failedIds(await state.deliver([redriven(state.letter, 'm3')]))).toEqual([]);
  expect(state.runs).toHaveLength(2);
  expect(state.w.seen.of('duplicate')).toMatchObject([{ messageId: 'm3', reason: 'parked' }]);
};

describe('a message brought back by our redrive', () => {
  test('runs under its original key, though its id is new', () => runsUnderItsKey({}));

  test('starts its attempts afresh; fence and the age of effect keys go on', () => startsAfresh({}));

  test('is acknowledged when its work had completed after all', async () => {
    const state = await parkedOnce({});
    const row = state.w.row('m1') as ClaimRow;
    const { parkSent: _, parkId: __, ...completed } = row;
    state.w.seed({ ...completed, status: 'completed' });
    expect(failedIds(await state.deliver([redriven(state.letter, 'm2')]))).toEqual([]);
    expect(state.runs).toHaveLength(1);
  });

  test('waits for a run that is under way', async () => {
    const state = life({});
    state.w.seed({ ...crashedRow('m1'), leaseEndsAt: startMillis + 60_000 });
    const letter = movedBySqs(record('m1'));
    expect(failedIds(await state.deliver([redriven(letter, 'm2')]))).toEqual(['m2']);
    expect(state.runs).toEqual([]);
  });

  test('can be parked and redriven again, and the second redrive works like the first', async () => {
    const state = await parkedOnce({});
    await state.deliver([redriven(state.letter, 'm2')]);
    const [first, second] = storiesIn(state.w);
    expect(second?.parkId).not.toBe(first?.parkId);
    expect(second).toMatchObject({ key: 'm1', messageId: 'm1', attempts: 1, reason: 'poison' });
    expect(second).not.toHaveProperty('redrive');
    state.trouble = undefined;
    expect(failedIds(await state.deliver([redriven(letterAt(state.w, 1), 'm3')]))).toEqual([]);
    expect(state.w.row('m1')).toMatchObject({ status: 'completed', fence: 3 });
  });

  test.each(['first', 'with-commit'] as const)('under claim: %s', async (claim) => {
    const state = await parkedOnce({}, { claim });
    state.trouble = undefined;
    expect(failedIds(await state.deliver([redriven(state.letter, 'm2')]))).toEqual([]);
    expect(state.runs.map(({ key }) => key)).toEqual(['m1', 'm1']);
    expect(state.w.row('m1')?.status).toBe('completed');
  });
});

describe('a redrive that was killed between sending and deleting, and run again', () => {
  test('its mark counts once: the second copy goes on where the first one is', () => countsOnce({}));

  test('is a duplicate once the first copy is done', async () => {
    const state = await parkedOnce({});
    state.trouble = undefined;
    await state.deliver([redriven(state.letter, 'm2')]);
    expect(failedIds(await state.deliver([redriven(state.letter, 'm3')]))).toEqual([]);
    expect(state.runs).toHaveLength(2);
  });

  test('is acknowledged once the first copy is parked anew: that parking stands for the work', () =>
    staleMarkIsAcknowledged({}));

  test.each(['first', 'with-commit'] as const)(
    'keeps the effect keys of the first copy, whatever the second one asks for, under claim: %s',
    async (claim) => {
      const state = await parkedOnce({}, { claim });
      state.trouble = new TypeError('still broken');
      await state.deliver([redriven(state.letter, 'm2', { effects: startMillis + 1 })]);
      await state.deliver([redriven(state.letter, 'm3', { effects: startMillis + 2 })]);
      const [before, first, second] = state.runs.map(({ effect }) => effect);
      expect(first).not.toBe(before);
      expect(second).toBe(first);
    },
  );

  test('under with-commit does no effect anew once the first copy is done, whatever it asks for', async () => {
    const state = await parkedOnce({}, { claim: 'with-commit' });
    state.trouble = undefined;
    await state.deliver([redriven(state.letter, 'm2', { effects: startMillis + 1 })]);
    expect(
      failedIds(await state.deliver([redriven(state.letter, 'm3', { effects: startMillis + 2 })])),
    ).toEqual([]);
    expect(state.runs).toHaveLength(2);
  });
});

describe('other ways back', () => {
  test("the console's redrive is recognised by the attribute of the parking", async () => {
    const state = await parkedOnce({});
    state.trouble = undefined;
    const [parked] = parkedIn(state.w);
    expect(failedIds(await state.deliver([redrivenByConsole(parked as never, 'm2')]))).toEqual([]);
    expect(state.runs.map(({ key, attempt }) => [key, attempt])).toEqual([
      ['m1', 1],
      ['m1', 1],
    ]);
  });

  test('without an attribute, a business key and another message id say enough', async () => {
    const state = await parkedOnce({}, { key: () => 'order-1' });
    state.trouble = undefined;
    expect(failedIds(await state.deliver([record('m2', { body: bodyOf('m1') })]))).toEqual([]);
    expect(state.runs).toHaveLength(2);
  });

  test('the same message id is no redrive but a late redelivery: acknowledged', async () => {
    const state = await parkedOnce({});
    state.trouble = undefined;
    expect(failedIds(await state.deliver([again(record('m1'))]))).toEqual([]);
    expect(state.runs).toHaveLength(1);
    expect(parkedIn(state.w)).toHaveLength(1);
  });
});

describe('a message that SQS dead-lettered itself', () => {
  test('is redriven under its own id, with a fresh count, once and a second time', async () => {
    const state = life({});
    state.w.seed({ ...crashedRow('m1', 5), status: 'released' });
    state.trouble = new TypeError('still broken');
    const letter = movedBySqs(record('m1'));
    expect(failedIds(await state.deliver([redriven(letter, 'm2')]))).toEqual(['m2']);
    expect(state.w.row('m1')).toMatchObject({ attempts: 1, redrive: markOf(letter) });

    state.w.seed({ ...(state.w.row('m1') as ClaimRow), attempts: 5 });
    const letterAgain = movedBySqs(redriven(letter, 'm2'));
    expect(markOf(letterAgain)).not.toBe(markOf(letter));
    expect(failedIds(await state.deliver([redriven(letterAgain, 'm3')]))).toEqual(['m3']);
    expect(state.runs.map(({ key, attempt }) => [key, attempt])).toEqual([
      ['m1', 1],
      ['m1', 1],
    ]);
  });

  test('after our redrive, before anybody claimed it, still comes back to its parking', async () => {
    const state = await parkedOnce({});
    const unclaimed = movedBySqs(redriven(state.letter, 'm2'));
    state.trouble = undefined;
    expect(failedIds(await state.deliver([redriven(unclaimed, 'm3')]))).toEqual([]);
    expect(state.w.row('m1')?.status).toBe('completed');
  });
});

describe('effect keys', () => {
  test('that are too old by the time of the redrive park the message again', async () => {
    const state = await parkedOnce({});
    const deliver = state.w.consumer((_, attempt) =>
      attempt.effectKey('capture', { lifetimeSeconds: 86_400 }),
    );
    await state.w.clock.pass(2 * 86_400_000);
    expect(failedIds(await deliver([redriven(state.letter, 'm2')]))).toEqual([]);
    expect(storiesIn(state.w)[1]).toMatchObject({
      reason: 'effect-key-expired',
      error: { name: EffectKeyExpiredError.prototype.name },
    });
  });

  test('are new ones where a person asked for them, and young again', async () => {
    const state = await parkedOnce({});
    await state.w.clock.pass(2 * 86_400_000);
    const keys: string[] = [];
    const deliver = state.w.consumer((_, attempt) => {
      keys.push(attempt.effectKey('capture', { lifetimeSeconds: 86_400 }));
    });
    const effects = state.w.clock.wallMillis();
    expect(failedIds(await deliver([redriven(state.letter, 'm2', { effects })]))).toEqual([]);
    expect(keys).not.toContain(state.runs[0]?.effect);
  });

  test('stay the new ones when the message is parked and redriven once more', async () => {
    const state = await parkedOnce({});
    await state.deliver([redriven(state.letter, 'm2', { effects: startMillis + 1 })]);
    await state.deliver([redriven(letterAt(state.w, 1), 'm3')]);
    expect(state.runs[2]?.effect).toBe(state.runs[1]?.effect);
  });

  test('never go back to an earlier generation, whichever message of the key comes back later', () =>
    generationsOnlyRise({}));
});

describe('a message without a key', () => {
  const unreadable = () => record('m1', { body: '{"cut of' });

  test('runs under its first id once the code can read it', async () => {
    const state = life({});
    await state.deliver([unreadable()]);
    expect(storiesIn(state.w)).toMatchObject([{ reason: 'unparseable', attempts: 0 }]);
    const repaired = state.w.consumer(({ key }: { key: string }) => void state.runs.push({ key } as never), {
      parse: (text) => text,
    });
    expect(failedIds(await repaired([redriven(letterAt(state.w, 0), 'm2')]))).toEqual([]);
    expect(state.runs).toEqual([{ key: 'm1' }]);
  });

  test('that still cannot be read is parked again, as the same work under a new park id', async () => {
    const state = life({});
    await state.deliver([unreadable()]);
    await state.deliver([redriven(letterAt(state.w, 0), 'm2')]);
    const [first, second] = storiesIn(state.w);
    expect(second?.parkId).not.toBe(first?.parkId);
    expect(state.w.rows()).toMatchObject([{ fence: 2, parkId: second?.parkId }]);
  });
});

test('a follow-up keeps its key on the way through the dead-letter queue to another consumer', async () => {
  const state = life({});
  const followUp = { dataType: 'String', stringValue: JSON.stringify({ v: 1, followUp: 'follow-up-1' }) };
  await state.deliver([record('m1', { messageAttributes: { [attribute.onceAttributeName]: followUp } })]);
  state.trouble = undefined;
  const other = state.w.consumer(({ key }: { key: string }) => key, { scope: 'another' });
  await other([redriven(letterAt(state.w, 0), 'm2')]);
  expect(state.w.row('follow-up-1', 'another')?.status).toBe('completed');
});

describe('a broken twin is caught', () => {
  test('that forgets the key a message was claimed under', async () => {
    const onceAttributeOf: typeof attribute.onceAttributeOf = (given) => {
      const { key, messageId, ...rest } = attribute.onceAttributeOf(given) ?? { v: 1 };
      return rest;
    };
    await caught(
      runsUnderItsKey({ engine: await engineWithout('arrive/once-attribute.ts', { onceAttributeOf }) }),
    );
  });

  test('that reopens for any mark, however often', async () => {
    const decide: typeof rule.decide = (row, wish) => {
      const decision = rule.decide(row, wish);
      const marked = wish.mark !== undefined && row !== undefined && row.status !== 'completed';
      return marked ? { status: 'free', taking: 'reopened', over: row } : decision;
    };
    const engine = await engineWithout('claim/decide.ts', { decide });
    await caught(countsOnce({ engine }));
    await caught(staleMarkIsAcknowledged({ engine }));
  });

  test('that takes the generation of whatever comes back', async () => {
    const claimRow: typeof claims.claimRow = (rowKey, free, wish, terms) => {
      const row = claims.claimRow(rowKey, free, wish, terms);
      return wish.mark?.effects === undefined ? row : { ...row, effects: wish.mark.effects };
    };
    await caught(generationsOnlyRise({ engine: await engineWithout('claim/claim-row.ts', { claimRow }) }));
  });

  test('that begins a new row for redriven work', async () => {
    const claimRow: typeof claims.claimRow = (rowKey, free, wish, terms) =>
      claims.claimRow(rowKey, { ...free, taking: 'expired' }, { ...wish, mark: undefined }, terms);
    await caught(startsAfresh({ engine: await engineWithout('claim/claim-row.ts', { claimRow }) }));
  });
});
