/** `attempt.isLast` is true exactly where a failure parks; and no attempt starts that could only be aborted. */
import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { again, failedIds, record } from '../support/records.ts';
import { world } from '../support/rig.ts';

describe.each(['first', 'with-commit'] as const)("claim: '%s'", (claim) => {
  it('a failure parks the message exactly when the attempt was said to be the last', async () => {
    const w = world({ sqs: { maxReceiveCount: 3 } });
    const said: boolean[] = [];
    const deliver = w.consumer(
      (_message: unknown, attempt: Attempt) => {
        said.push(attempt.isLast);
        throw new Error('fails');
      },
      { claim, maxAttempts: 10 },
    );
    const parked: boolean[] = [];
    for (const receives of [1, 2, 3]) {
      await deliver([again(record('m1'), receives)]);
      parked.push(w.row('m1')?.status === 'parked');
    }
    expect(said).toEqual([false, false, true]);
    expect(said).toEqual(parked);
  });

  it('a first delivery is not kept waiting for what SQS knows of the queue', async () => {
    const w = world();
    await w.consumer(() => 'done', { claim })([record('m1')]);
    expect(w.sqs.calls).toEqual([]);
  });
});

it('a claim that took all the time there was is given back and counts as no attempt', async () => {
  const w = world();
  const runs: number[] = [];
  const deliver = w.consumer((_message: unknown, attempt: Attempt) => {
    runs.push(attempt.number);
  });
  w.faults.intercept(async ({ purpose, make }) => {
    if (purpose === 'acquire') await w.clock.wait(1_500);
    return make();
  });
  const answer = deliver([record('m1')], w.clock.context(2_200));
  expect(failedIds(await w.clock.until(answer))).toEqual(['m1']);
  expect(runs).toEqual([]);
  expect(w.row('m1')).toMatchObject({ status: 'released', attempts: 0 });
  expect(w.seen.story('m1')).toEqual(['claimed', 'unstarted']);
});
