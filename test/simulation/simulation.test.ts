/**
 * The laws hold together, in whole worlds: every clock, every queue, every call to the table and every process
 * is drawn from a seed, and everything that can go wrong does. `npm run simulate` runs as many as asked for.
 */
import { expect, test, vi } from 'vitest';
import { reportOf, search } from './search.ts';

const worlds = 300;
// The same worlds every time, so that a red run is never luck; `npm run simulate` draws new ones.
const seed = Number(process.env.SIMULATION_SEED ?? 2_026);

test(`every law holds in ${worlds} worlds from seed ${seed}`, { timeout: 120_000 }, async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const found = await search({ worlds, seed });
  expect(found === undefined ? '' : reportOf(found)).toBe('');
});
