import { expect, test } from 'vitest';
import type { Attributes } from '../../../lib/store/table.ts';
import { claimed, limit } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { freshKey, heldFor, heldWrites } from './held-writes.ts';

const millis = ['leaseEndsAt', 'firstClaimedAt', 'claimedAt', 'settledAt'];

/** DynamoDB's TTL wants seconds and ignores what lies more than five years ahead; all else is milliseconds. */
export function unitsContract(bench: () => Bench): void {
  test('a claim has its expiry in seconds and its times in milliseconds', async () => {
    const { rowKey } = await claimed(bench().store, freshKey());
    expectUnits(await bench().item(rowKey));
  });

  test.each(heldWrites.map((write) => [write.name, write] as const))(
    'after %s the expiry is in seconds and the times are in milliseconds',
    async (_, held) => {
      const claim = await heldFor(held, bench());
      await held.write(bench().store, claim, limit);
      expectUnits(await bench().item(claim.rowKey));
    },
  );
}

function expectUnits(item: Attributes | undefined): void {
  expect(item?.expiresAt?.N).toMatch(/^\d{10}$/);
  const times = millis.filter((name) => item?.[name] !== undefined);
  expect(times).toEqual(expect.arrayContaining(['firstClaimedAt', 'claimedAt']));
  for (const name of times) expect(item?.[name]?.N, name).toMatch(/^\d{13}$/);
}
