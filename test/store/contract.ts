import { afterAll, beforeAll, describe } from 'vitest';
import type { Bench, OpenBench } from './bench.ts';
import { claimingContract } from './contract/claiming.ts';
import { committingContract } from './contract/committing.ts';
import { failingContract } from './contract/failing.ts';
import { holdingContract } from './contract/holding.ts';
import { leavingContract } from './contract/leaving.ts';
import { unitsContract } from './contract/units.ts';

/** What every store of claims keeps, whatever is beneath it. */
export function claimStoreContract(
  name: string,
  open: OpenBench,
  { failing = true }: { readonly failing?: boolean } = {},
): void {
  describe(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await open();
    });
    afterAll(() => bench.close());

    const current = () => bench;
    describe('claiming', () => claimingContract(current));
    describe('holding', () => holdingContract(current));
    describe('committing', () => committingContract(current));
    if (failing) describe('failing', () => failingContract(current));
    describe('leaving', () => leavingContract(current));
    describe('units', () => unitsContract(current));
  });
}
