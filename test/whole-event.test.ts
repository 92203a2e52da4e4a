import { describe, expect, it } from 'vitest';
import { attemptFor } from '../lib/handle/attempts.ts';
import { again, failedIds, record } from './support/records.ts';
import { middys, wholeEvent, world } from './support/rig.ts';

describe.each(middys)('a handler that takes its event whole, under %s', (_name, middy) => {
  it('runs once for all messages that may run, and each is settled', async () => {
    const w = world();
    const seen: string[][] = [];
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      seen.push(Records.map(({ messageId }) => messageId));
      expect(Records.map((each) => attemptFor(each).number)).toEqual(Records.map(() => 1));
    });
    const first = record('m1');
    expect(failedIds(await deliver([first], w.clock.context(30_000)))).toEqual([]);
    expect(failedIds(await deliver([again(first), record('m2'), record('m3')], w.clock.context(30_000)))).toEqual([]);
    expect(failedIds(await deliver([again(first)], w.clock.context(30_000)))).toEqual([]);
    expect(seen).toEqual([['m1'], ['m2', 'm3']]);
    expect(w.seen.story('m1')).toEqual(['claimed', 'completed', 'duplicate', 'duplicate']);
    expect(w.clock.timers).toBe(0);
  });
});
