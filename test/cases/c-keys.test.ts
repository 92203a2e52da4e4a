/** Field cases 8 and 10: keys that are none, and keys that must not move. */
import { describe, expect, it, vi } from 'vitest';
import { rowKey, unkeyedRowKey } from '../../lib/arrive/row-key.ts';
import type { Message } from '../../lib/options.ts';
import { again, bodyOf, failedIds, record } from '../support/records.ts';
import { faces, middys, wholeEvent, world } from '../support/rig.ts';

const noKeys: readonly (readonly [string, () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['an empty text', () => ''],
  ['a blank text', () => '  \t'],
  ['NaN', () => Number.NaN],
  ['an unsafe integer', () => 2 ** 53],
  ['a fraction', () => 1.5],
  ['an empty object', () => ({})],
  ['a list with a hole', () => [undefined, 'x']],
  ['a promise', () => Promise.resolve('x')],
  [
    'a throw',
    () => {
      throw new Error('no key here');
    },
  ],
  [
    'a throw of nothing',
    () => {
      throw undefined;
    },
  ],
];

/** A slip of the pen, in code that every message goes through. */
function notDefined(): never {
  throw new ReferenceError('oderId is not defined');
}

describe('case 8: no key is no claim, and one message’s failure alone', () => {
  describe.each(faces)('behind %s', (face) => {
    it.each(noKeys)('when the key is %s', async (_, key) => {
      const w = world();
      const runs: string[] = [];
      const keyOf = ({ body }: { body: { id: string } }) => (body.id === 'm2' ? key() : body.id);
      const deliver = w.consumer(
        ({ key: ran }: Message) => void runs.push(ran),
        { key: keyOf } as never,
        face,
      );
      const messages = ['m1', 'm2', 'm3'].map((id) => record(id));
      expect(failedIds(await deliver(messages, w.clock.context(9_000)))).toEqual([]);
      expect(runs).toEqual(['m1', 'm3']);
      expect(
        w
          .rows()
          .map(({ claim, status, reason }) => [claim, status, reason])
          .sort(),
      ).toEqual(
        [
          [rowKey(w.scope, 'm1'), 'completed', undefined],
          [rowKey(w.scope, 'm3'), 'completed', undefined],
          [unkeyedRowKey(w.scope, 'm2'), 'parked', 'no-key'],
        ].sort(),
      );
      expect(w.seen.of('parked')).toMatchObject([{ messageId: 'm2', error: { name: 'NoKeyError' } }]);
      // What user code threw may quote the body, and loggers write causes too.
      expect(w.seen.of('parked')[0]?.error).not.toHaveProperty('cause');
      expect(w.sqs.inputsOf('SendMessage')).toMatchObject([{ MessageBody: JSON.stringify(bodyOf('m2')) }]);
    });
  });

  describe('a fingerprint function with a mistake in it', () => {
    const broken = { key: () => 'one', fingerprint: notDefined };

    it('has its messages back like a handler that throws, and parks them at the last attempt', async () => {
      const w = world();
      const runs: string[] = [];
      const handler = ({ key }: Message) => void runs.push(key);
      const deliver = w.consumer(handler, { ...broken, maxAttempts: 2 } as never);
      expect(failedIds(await deliver([record('m1'), record('m2')]))).toEqual(['m1', 'm2']);
      expect(w.rows()).toMatchObject([
        {
          status: 'released',
          attempts: 1,
          lastError: 'Error: the fingerprint function threw ReferenceError',
        },
        { status: 'released', attempts: 1 },
      ]);
      expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
      expect(w.seen.story('m1')).toEqual(['failed', 'parked']);
      expect(w.seen.of('parked')).toMatchObject([{ reason: 'attempts-exhausted', error: { name: 'Error' } }]);
      expect(runs).toEqual([]);
    });

    it.each(faces)('mended meanwhile, what it said runs under its own key, behind %s', async (face) => {
      const w = world();
      const runs: string[] = [];
      const handler = ({ key }: Message) => void runs.push(key);
      await w.consumer(handler, broken as never, face)([record('m1')]);
      const mended = w.consumer(handler, { key: () => 'one' }, face);
      expect(failedIds(await mended([again(record('m1'))]))).toEqual([]);
      expect(runs).toEqual(['one']);
      expect(w.row('one')?.status).toBe('completed');
    });

    it.each(middys)('no whole-event handler is given its messages, under %s', async (_, middy) => {
      const w = world();
      const handler = vi.fn();
      const deliver = wholeEvent(middy, w.options(broken as never), handler);
      expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
      expect(handler).not.toHaveBeenCalled();
    });
  });

  it('without a claim before the handler, they come back and are parked just the same', async () => {
    const w = world();
    const deliver = w.consumer(() => {}, {
      key: () => 'one',
      fingerprint: notDefined,
      claim: 'with-commit',
      maxAttempts: 2,
    } as never);
    expect(failedIds(await deliver([record('m1')]))).toEqual(['m1']);
    expect(failedIds(await deliver([again(record('m1'))]))).toEqual([]);
    expect(w.seen.of('parked')).toHaveLength(1);
  });

  it.each(middys)('and a whole-event handler is not given it, under %s', async (_, middy) => {
    const w = world();
    const seen: string[] = [];
    const keyOf = ({ body }: { body: { id: string } }) => (body.id === 'm2' ? '' : body.id);
    const deliver = wholeEvent(middy, w.options({ key: keyOf } as never), ({ Records }) => {
      seen.push(...Records.map(({ messageId }) => messageId));
    });
    expect(failedIds(await deliver(['m1', 'm2', 'm3'].map((id) => record(id))))).toEqual([]);
    expect(seen).toEqual(['m1', 'm3']);
  });

  it('without a dead-letter queue it goes back, and never runs', async () => {
    const w = world({ sqs: { deadLetterQueue: false } });
    let runs = 0;
    const deliver = w.consumer(
      () => {
        runs += 1;
      },
      { key: (() => null) as never },
    );
    for (const receives of [1, 2, 3]) {
      const answer = deliver([record('m1', { receives })], w.clock.context(9_000));
      expect(failedIds(await w.clock.until(answer))).toEqual(['m1']);
    }
    expect(runs).toBe(0);
    expect(w.seen.of('park-failed')).toHaveLength(3);
  });
});

describe('case 10: the key space stays where it is', () => {
  it('when the handler is renamed, wrapped or another kind', async () => {
    const w = world();
    const runs: string[] = [];
    const message = record('m1');
    const deliveries = [
      w.consumer(function chargeCard() {
        runs.push('first');
      }),
      w.consumer(() => void runs.push('second'), {}, 'Middy 6'),
      w.consumer(async () => void runs.push('third'), {}, 'Middy 7'),
      ...middys.map(([, middy]) => wholeEvent(middy, w.options(), () => void runs.push('whole'))),
    ];
    for (const [place, deliver] of deliveries.entries()) {
      expect(failedIds(await deliver([again(message, place + 1)], w.clock.context(9_000)))).toEqual([]);
    }
    expect(runs).toEqual(['first']);
  });

  it('two scopes share a store and keep their own settings', async () => {
    const w = world();
    const runs: string[] = [];
    const left = w.consumer(() => void runs.push('left'), {
      scope: 'left',
      maxAttempts: 1,
      retentionSeconds: 100,
    });
    const right = w.consumer(() => void runs.push('right'), {
      scope: 'right',
      key: (({ body }: { body: { id: string } }) => body.id) as never,
    });
    await left([record('m1')], w.clock.context(9_000));
    await right([record('m1')], w.clock.context(9_000));
    expect(runs).toEqual(['left', 'right']);
    expect(w.row('m1', 'left')?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 100);
    expect(w.row('m1', 'right')?.expiresAt).toBe(w.clock.wallMillis() / 1_000 + 29 * 86_400);
    expect(w.row('m1', 'left')?.fingerprint).toBeUndefined();
    expect(w.row('m1', 'right')?.fingerprint).toMatch(/^v1:/);
  });
});
