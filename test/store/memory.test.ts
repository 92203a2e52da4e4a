import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { memoryClaims } from '../../lib/store/memory.ts';
import type { Attributes, Table } from '../../lib/store/table.ts';
import { ask, nowMillis } from '../support/claims.ts';
import { raceOnOneKey } from './contract/claiming.ts';
import { claimStoreContract } from './contract.ts';
import { openMemoryBench } from './memory-bench.ts';
import { tellingOldItems } from './old-items.ts';

claimStoreContract('memoryClaims', async () => openMemoryBench());
claimStoreContract('a store whose client tells no old item', async () =>
  openMemoryBench((table) => tellingOldItems(table, () => undefined)),
);
claimStoreContract('a store whose client unmarshalls old items', async () =>
  openMemoryBench((table) => unmarshalling(tellingOldItems(table, unmarshall))),
);

function unmarshalling(table: Table): Table {
  return {
    ...table,
    async get(...asked) {
      const item = await table.get(...asked);
      return item && (unmarshall(item) as Attributes);
    },
  };
}

test(
  '1,000 times 50 claims of one key at once: exactly one wins',
  () => raceOnOneKey(memoryClaims(), 1_000),
  60_000,
);

test('memoryClaims turns by the clock it was given, and shows its tables', async () => {
  const claims = memoryClaims({ clock: () => nowMillis, keys: { orders: ['id'] } });
  expect([claims.ambient.wallMillis(), claims.ambient.monotonicMillis()]).toEqual([nowMillis, nowMillis]);
  await ask(claims, 'scope#key');
  expect(claims.items()).toEqual([
    expect.objectContaining({ claim: { S: 'scope#key' }, status: { S: 'leased' } }),
  ]);
  claims.seed('orders', { id: { S: 'a' } });
  expect(claims.items('orders')).toEqual([{ id: { S: 'a' } }]);
  expect(memoryClaims().items()).toEqual([]);
});
