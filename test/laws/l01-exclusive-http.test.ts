/**
 * L1, exclusive, behind HTTP: of requests with one key at most one runs, however many come at the same moment.
 */
import { expect, it } from 'vitest';
import { type Ask, keyed, receiver, requestRow } from '../support/receiver-rig.ts';
import { type WorldOptions, world } from '../support/rig.ts';
import { caught, withoutCondition } from '../support/twins.ts';

async function fiftyAtOnce(twin: WorldOptions): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const askers: readonly Ask[] = Array.from({ length: 50 }, () =>
    receiver(w, async () => {
      runs += 1;
      await w.clock.wait(100);
      return { statusCode: 201, body: `run ${runs}` };
    }),
  );
  const answers = await w.clock.until(
    Promise.all(askers.map((ask) => ask({ ...keyed('k1'), body: '{}' }, w.clock.context(30_000)))),
  );
  expect(runs).toBe(1);
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
  expect(requestRow(w, 'k1')).toMatchObject({ status: 'completed', fence: 1, attempts: 1 });
}

it('of fifty requests at once one runs and the others are told to come back', () => fiftyAtOnce({}));

it('a store whose claims have no condition is caught', () =>
  caught(fiftyAtOnce({ table: withoutCondition(/attribute_not_exists/) })));
