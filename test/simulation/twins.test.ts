/**
 * Every guard is needed: the simulation finds a broken law in each engine that has one guard less, within a few
 * hundred worlds. What it would not find it does not prove.
 */
import { beforeEach, expect, test, vi } from 'vitest';
import { search } from './search.ts';
import { batchingTwins } from './twins/batching.ts';
import { expiryTwins } from './twins/expiry.ts';
import { holderTwins } from './twins/holder.ts';
import { pathTwins } from './twins/path.ts';
import { redriveTwins } from './twins/redrive.ts';
import { ruleTwins } from './twins/rule.ts';
import { statementTwins, tableTwins } from './twins/statements.ts';

const worlds = 1_500;
const usualSeed = 6;

/** Where the search begins for those that are found late from the usual seed. */
const nearerSeeds: Readonly<Record<string, number>> = {
  'the news that an outcome was refused': 5,
  'the holder in a batched settle': 5,
  'the status in release': 14,
  'holder and status in extend': 4,
  'the holder in release': 7,
  'the owner in renew': 14,
  'the lease in acquire': 12,
  'the status in a batched settle': 5,
  'the fear of an absent row in a FIFO queue': 5,
  'the seen claim in what a person lets go of': 12,
  'the doubt about a claim that only parked': 7,
};

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

const twins = [
  ...statementTwins,
  ...holderTwins,
  ...tableTwins,
  ...batchingTwins,
  ...ruleTwins,
  ...expiryTwins,
  ...redriveTwins,
  ...pathTwins,
];

test.each(twins)(
  'an engine without $without breaks a law',
  { timeout: 120_000 },
  async ({ without, engine, focus = {} }) => {
    const seed = nearerSeeds[without] ?? usualSeed;
    const found = await search({ worlds, seed, engine: await engine(), focus, shrink: false });
    expect(found, `no law is broken in ${worlds} worlds from seed ${seed}`).toBeDefined();
    if (process.env.SIMULATION_TOLD)
      console.log(JSON.stringify([without, found?.worlds, found?.history.violation]));
  },
);
