// Events cost nothing when nobody listens, and what was counted is out before every answer.
import { describe, expect, test, vi } from 'vitest';
import { type OnceEvent, publish } from '../../lib/observe/events.ts';
import { whileNobodyListens } from '../support/overhear.ts';
import { keyed, receiver } from '../support/receiver-rig.ts';
import { record } from '../support/records.ts';
import { middys, wholeEvent, world } from '../support/rig.ts';

test('no event is made when nobody listens', async () => {
  const make = vi.fn((): OnceEvent => ({ type: 'claimed', scope: 'tests' }));
  await whileNobodyListens(() => publish([], make));
  expect(make).not.toHaveBeenCalled();
  publish([() => {}], make);
  expect(make).toHaveBeenCalledTimes(1);
});

describe('the answer is told last,', () => {
  const timeout = () =>
    Object.assign(new Error('[Timeout]', { cause: { package: '@middy/core' } }), { name: 'TimeoutError' });
  const denied = () => {
    throw Object.assign(new Error('denied'), { name: 'AccessDeniedException' });
  };

  test('when the invocation fails as a whole', async () => {
    const w = world();
    w.faults.intercept(denied);
    await expect(w.consumer(() => {})([record('m1')])).rejects.toThrow('AccessDenied');
    expect(w.seen.events.at(-1)?.type).toBe('answering');
  });

  test('when it has to acknowledge what the table was not told of', async () => {
    const w = world();
    let closed = false;
    w.faults.intercept((call) => {
      if (call.purpose === 'settle') closed = true;
      return closed ? denied() : call.make();
    });
    await w.consumer(() => {}, { concurrency: 1 })([record('m1'), record('m2')]);
    expect(w.seen.story('m1')).toContain('outcome-unrecorded');
    expect(w.seen.story('m2')).toContain('store-unavailable');
    expect(w.seen.events.at(-1)?.type).toBe('answering');
  });

  test.each(middys)('when a handler of whole events fails or is left behind by %s', async (_, middy) => {
    for (const error of [new Error('no stock'), timeout()]) {
      const w = world();
      const deliver = wholeEvent(middy, w.options(), () => {
        throw error;
      });
      await expect(deliver([record('m1')])).rejects.toThrow(error.message);
      await vi.waitFor(() => expect(w.seen.events.at(-1)?.type).toBe('answering'));
      expect(w.seen.of('answering')).toHaveLength(1);
      expect(w.seen.of('failed')).toHaveLength(1);
    }
  });

  test('when a request cannot be guarded, or its handler throws', async () => {
    const w = world();
    await expect(
      receiver(w, () => {
        throw new Error('no stock');
      })(keyed('k1')),
    ).rejects.toThrow('no stock');
    expect(w.seen.events.at(-1)?.type).toBe('answering');
    w.faults.intercept(denied);
    await expect(receiver(w, () => ({ statusCode: 201 }))(keyed('k2'))).rejects.toThrow('AccessDenied');
    expect(w.seen.events.at(-1)?.type).toBe('answering');
  });
});
