import { describe, expect, test } from 'vitest';
import { rowToItem } from '../../../lib/store/row-codec.ts';
import type { TransactionWrite } from '../../../lib/store/writes.ts';
import { limit, parking, row, settlement } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { freshKey, heldFor, orderOf } from './held-writes.ts';

const many = (count: number, prefix: string): readonly TransactionWrite[] =>
  Array.from({ length: count }, (_, index) => orderOf(`${prefix} ${index}`));

const ifAbsent = (id: string, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' | 'NONE'): TransactionWrite => ({
  Put: {
    TableName: 'orders',
    Item: { id: { S: id } },
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure,
  },
});

const conflict = { CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }] };

/** What can never land, whatever stands in the tables. */
const impossible: readonly (readonly [string, (id: string) => readonly TransactionWrite[]])[] = [
  [
    'two writes to one item',
    (id) => [orderOf(id), { Delete: { TableName: 'orders', Key: { id: { S: id } } } }],
  ],
  [
    'a key of another shape',
    (id) => [orderOf(id), { Delete: { TableName: 'orders', Key: { no: { S: id } } } }],
  ],
  ['a hundred writes beside the claim', (id) => many(100, id)],
];

/** The claim and the attempt's writes, all or nothing. */
export function committingContract(bench: () => Bench): void {
  describe('settle with writes', () => {
    test('lands the outcome and 99 writes together', async () => {
      const claim = await heldFor({ after: 'claim' }, bench());
      const landing = await bench().store.settle(claim, settlement, many(99, claim.orderId), limit);
      expect(landing).toEqual({ status: 'landed' });
      expect(await bench().store.read(claim.rowKey, limit)).toMatchObject(settlement);
      for (const index of [0, 98]) expect(await bench().order(`${claim.orderId} ${index}`)).toBeDefined();
    });

    test("names the user's refused conditions by place, with the old item where it was asked for", async () => {
      const claim = await heldFor({ after: 'claim' }, bench());
      const before = await bench().item(claim.rowKey);
      const [told, untold] = [`${claim.orderId} told`, `${claim.orderId} untold`];
      const first = await heldFor({ after: 'claim' }, bench());
      await bench().store.settle(first, settlement, [orderOf(told), orderOf(untold)], limit);
      const writes = [orderOf(claim.orderId), ifAbsent(told, 'ALL_OLD'), ifAbsent(untold, 'NONE')];
      expect(await bench().store.settle(claim, settlement, writes, limit)).toEqual({
        status: 'rejected',
        failures: [
          { index: 1, item: { id: { S: told }, total: { N: '12' } } },
          { index: 2, item: undefined },
        ],
      });
      expect(await bench().item(claim.rowKey)).toEqual(before);
      expect(await bench().order(claim.orderId)).toBeUndefined();
    });

    test("of a lost claim is refused as such, whatever the user's conditions say beside it", async () => {
      const claim = await heldFor({ after: 'claim' }, bench());
      const stands = row({ claim: claim.rowKey, fence: 2, owner: 'another' });
      await bench().seed(rowToItem(stands));
      const writes = [orderOf(claim.orderId), { ConditionCheck: never(`no ${claim.orderId}`) }];
      expect(await bench().store.settle(claim, settlement, writes, limit)).toEqual({
        status: 'refused',
        row: stands,
      });
      expect(await bench().order(claim.orderId)).toBeUndefined();
    });

    test.each(impossible)(
      'is impossible with %s: nothing lands, and the claim is still held',
      async (_, writesOf) => {
        const claim = await heldFor({ after: 'claim' }, bench());
        const before = await bench().item(claim.rowKey);
        const landing = await bench().store.settle(claim, settlement, writesOf(claim.orderId), limit);
        expect(landing).toMatchObject({ status: 'impossible', cause: { name: expect.any(String) } });
        expect(await bench().item(claim.rowKey)).toEqual(before);
        expect(await bench().order(claim.orderId)).toBeUndefined();
        expect(await bench().store.park(claim, parking, limit)).toEqual({ status: 'landed' });
      },
    );

    test.each([
      ['TransactionCanceledException', conflict],
      ['TransactionInProgressException', {}],
    ])('that meets another transaction is tried again until it lands: %s', async (name, more) => {
      const claim = await heldFor({ after: 'claim' }, bench());
      const before = bench().calls();
      bench().failNext(name, 2, more);
      const landing = await bench().store.settle(claim, settlement, [orderOf(claim.orderId)], limit);
      expect(landing).toEqual({ status: 'landed' });
      expect(bench().calls() - before).toBe(3);
      expect(await bench().order(claim.orderId)).toBeDefined();
    });

    test('under a token that carried another transaction is told as our fault', async () => {
      const claim = await heldFor({ after: 'claim' }, bench());
      bench().failNext('IdempotentParameterMismatchException');
      const settling = bench().store.settle(claim, settlement, [orderOf(claim.orderId)], limit);
      await expect(settling).rejects.toThrow('a fault of sqs-once');
    });

    test('into a table that is out of bounds names that table too', async () => {
      const claim = await heldFor({ after: 'claim' }, bench());
      bench().failNext('AccessDeniedException');
      const settling = bench().store.settle(claim, settlement, [orderOf(claim.orderId)], limit);
      await expect(settling).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringContaining(
          `"${bench().store.tableName}" or one written to beside it ("orders")`,
        ),
      });
    });
  });

  describe('commit', () => {
    test('of many at once exactly one lands, and only its writes exist', async () => {
      for (let round = 0; round < 5; round += 1) {
        const rowKey = freshKey();
        const names = Array.from({ length: 10 }, (_, index) => `${rowKey} by ${index}`);
        const landings = await Promise.all(
          names.map((owner) =>
            bench().store.commit(done({ claim: rowKey, owner }), undefined, [orderOf(owner)], limit),
          ),
        );
        const winners = names.filter((_, index) => landings[index]?.status === 'landed');
        expect(winners).toHaveLength(1);
        for (const [index, name] of names.entries()) {
          expect((await bench().order(name)) !== undefined).toBe(winners.includes(name));
          if (!winners.includes(name)) {
            expect(landings[index]).toMatchObject({ status: 'refused', row: { owner: winners[0] } });
          }
        }
      }
    });

    test.each([
      ['without writes', []],
      ['with writes', ['order']],
    ])('whose reply is lost is recognised, %s', async (_, orders) => {
      for (const over of [undefined, row({ claim: freshKey(), status: 'released' })]) {
        const mine = done({ claim: over?.claim ?? freshKey(), fence: (over?.fence ?? 0) + 1, owner: 'mine' });
        const writes = orders.map((order) => orderOf(`${order} of ${mine.claim}`));
        if (over !== undefined) await bench().seed(rowToItem(over));
        bench().loseNextReply();
        const lost = bench().store.commit(mine, over, writes, limit);
        await expect(lost).rejects.toMatchObject({ name: 'StoreUnavailableError' });
        expect(await bench().store.commit(mine, over, writes, limit)).toEqual({ status: 'landed' });
        expect(await bench().store.read(mine.claim, limit)).toEqual(mine);
        for (const order of orders) expect(await bench().order(`${order} of ${mine.claim}`)).toBeDefined();
      }
    });

    test.each([
      ['leased', {}],
      ['completed', { status: 'completed', result: '1' }],
      ['parked', { status: 'parked', parkId: 'p' }],
    ] as const)('over a row that is %s by now lands nothing', async (_, given) => {
      const seen = row({ claim: freshKey(), status: 'released' });
      const stands = row({ claim: seen.claim, fence: 2, owner: 'another', ...given });
      await bench().seed(rowToItem(stands));
      const mine = done({ claim: seen.claim, fence: 2, owner: 'mine' });
      for (const writes of [[], [orderOf(seen.claim)]]) {
        expect(await bench().store.commit(mine, seen, writes, limit)).toEqual({
          status: 'refused',
          row: stands,
        });
      }
      expect(await bench().item(seen.claim)).toEqual(rowToItem(stands));
      expect(await bench().order(seen.claim)).toBeUndefined();
    });
  });
}

const done = (given: Parameters<typeof row>[0]) => row({ ...settlement, ...given });

function never(id: string) {
  return {
    TableName: 'orders',
    Key: { id: { S: id } },
    ConditionExpression: 'attribute_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}
