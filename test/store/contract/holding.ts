import { describe, expect, test } from 'vitest';
import type { Attributes } from '../../../lib/store/table.ts';
import { ask, leaseMillis, limit, nowMillis, parking, release, settlement } from '../../support/claims.ts';
import type { Bench } from '../bench.ts';
import { freshKey, type Held, heldFor, heldWrites } from './held-writes.ts';

type Since = (item: Attributes) => Attributes;

/** What may have become of the row while its holder was away. Its status is still the one the holder left. */
const histories: readonly (readonly [string, Since])[] = [
  [
    'another claimed the row',
    (item) => ({ ...item, fence: { N: String(Number(item.fence?.N) + 1) }, owner: { S: 'another' } }),
  ],
  [
    'the row was swept and another claimed it from the start',
    (item) => ({ ...item, owner: { S: 'another' } }),
  ],
  [
    // Two processes restored from one snapshot draw the same random ids.
    'another that drew the same owner claimed the row',
    (item) => ({ ...item, fence: { N: String(Number(item.fence?.N) + 1) } }),
  ],
];

/** Writes the holder sends after it went on by itself, each of them a late one. */
const movedOn: readonly (readonly [
  string,
  (bench: Bench, held: Held) => Promise<unknown>,
  readonly string[],
])[] = [
  [
    'settled',
    ({ store }, held) => store.settle(held, settlement, [], limit),
    ['renew', 'settle as rejected', 'release', 'park', 'reopen', 'letGo'],
  ],
  [
    'released',
    ({ store }, held) => store.release(held, release, limit),
    ['renew', 'settle', 'settle as rejected', 'settle with writes', 'park', 'reopen', 'letGo'],
  ],
  [
    'parked',
    ({ store }, held) => store.park(held, parking, limit),
    ['renew', 'settle', 'settle as rejected', 'settle with writes', 'release', 'reopen', 'letGo'],
  ],
];

const named = heldWrites.map((write) => [write.name, write] as const);

/** Writes after the claim name its fence and owner: a claim that was lost changes nothing. */
export function holdingContract(bench: () => Bench): void {
  describe.each(named)('%s', (_, held) => {
    test('lands for the holder', async () => {
      const claim = await heldFor(held, bench());
      const before = await bench().item(claim.rowKey);
      expect(await held.write(bench().store, claim, limit)).toEqual({ status: 'landed' });
      expect(await bench().item(claim.rowKey)).not.toEqual(before);
    });

    test.each(histories)('is refused once %s, and tells what stands', async (_, since) => {
      const claim = await heldFor(held, bench());
      const stands = since((await bench().item(claim.rowKey)) ?? {});
      await bench().seed(stands);
      expect(await held.write(bench().store, claim, limit)).toMatchObject({
        status: 'refused',
        row: { fence: Number(stands.fence?.N), owner: stands.owner?.S },
      });
      expect(await bench().item(claim.rowKey)).toEqual(stands);
      expect(await bench().order(claim.orderId)).toBeUndefined();
    });

    test('brings no swept row back', async () => {
      const claim = await heldFor(held, bench());
      await bench().sweep(claim.rowKey);
      expect(await held.write(bench().store, claim, limit)).toEqual({ status: 'refused', row: undefined });
      expect(await bench().item(claim.rowKey)).toBeUndefined();
      expect(await bench().order(claim.orderId)).toBeUndefined();
    });

    test('whose reply is lost is recognised, and changes nothing the second time', async () => {
      const claim = await heldFor(held, bench());
      const isTransaction = held.name === 'settle with writes';
      bench().loseNextReply();
      await expect(held.write(bench().store, claim, limit)).rejects.toMatchObject({
        name: 'StoreUnavailableError',
      });
      const left = await bench().item(claim.rowKey);
      expect(await held.write(bench().store, claim, limit)).toEqual({ status: 'landed' });
      expect(await bench().item(claim.rowKey)).toEqual(left);
      if (isTransaction) expect(await bench().order(claim.orderId)).toMatchObject({ total: { N: '12' } });
    });

    test('that never arrived is made good by the next try', async () => {
      const claim = await heldFor(held, bench());
      const before = await bench().item(claim.rowKey);
      bench().failNext('ThrottlingException');
      await expect(held.write(bench().store, claim, limit)).rejects.toMatchObject({
        name: 'StoreUnavailableError',
      });
      expect(await bench().item(claim.rowKey)).toEqual(before);
      expect(await held.write(bench().store, claim, limit)).toEqual({ status: 'landed' });
    });
  });

  describe.each(movedOn)('a claim that was %s', (_, moveOn, late) => {
    test.each(named.filter(([name]) => late.includes(name)))('takes no late %s', async (_name, write) => {
      const claim = await heldFor(write, bench());
      await moveOn(bench(), claim);
      const left = await bench().item(claim.rowKey);
      expect(await write.write(bench().store, claim, limit)).toMatchObject({ status: 'refused' });
      expect(await bench().item(claim.rowKey)).toEqual(left);
      expect(await bench().order(claim.orderId)).toBeUndefined();
    });
  });

  lateCopies(bench);
}

/** A copy of an earlier write that the network held back must not turn a later one back. */
function lateCopies(bench: () => Bench): void {
  test('a late renewal does not shorten the lease that the next one gave', async () => {
    const claim = await heldFor({ after: 'claim' }, bench());
    await bench().store.renew(claim, nowMillis + 3 * leaseMillis, limit);
    expect(await bench().store.renew(claim, nowMillis + 2 * leaseMillis, limit)).toEqual({
      status: 'landed',
    });
    expect(await bench().item(claim.rowKey)).toMatchObject({
      leaseEndsAt: { N: String(nowMillis + 3 * leaseMillis) },
    });
  });

  test('a late extension does not shorten what the next one gave', async () => {
    const claim = await heldFor({ after: 'settle' }, bench());
    await bench().store.extend(claim, settlement.expiresAt + 2_000, limit);
    expect(await bench().store.extend(claim, settlement.expiresAt + 1_000, limit)).toEqual({
      status: 'landed',
    });
    expect(await bench().item(claim.rowKey)).toMatchObject({
      expiresAt: { N: String(settlement.expiresAt + 2_000) },
    });
  });

  test('a late count of follow-ups neither lowers the count nor brings it back', async () => {
    const claim = await heldFor({ after: 'follow-ups' }, bench());
    await bench().store.markSent(claim, 1, false, limit);
    await bench().store.markSent(claim, 0, false, limit);
    expect(await bench().item(claim.rowKey)).toMatchObject({ followUpsSent: { N: '1' } });
    await bench().store.markSent(claim, 2, true, limit);
    await bench().store.markSent(claim, 1, false, limit);
    const item = await bench().item(claim.rowKey);
    expect(item).not.toHaveProperty('followUpsSent');
    expect(item).not.toHaveProperty('followUps');
  });

  test('a claim that is not parked is not marked as sent', async () => {
    const claim = await heldFor({ after: 'claim' }, bench());
    expect(await bench().store.markParked(claim, limit)).toMatchObject({ status: 'refused' });
    expect(await bench().store.read(claim.rowKey, limit)).toEqual(claim.seen);
  });

  test('a row that nobody can read, and nobody may take, is let go by a person', async () => {
    const rowKey = freshKey();
    await bench().seed({ claim: { S: rowKey }, status: { S: 'frozen' }, fence: { S: 'one' } });
    expect(await ask(bench().store, rowKey)).toMatchObject({ status: 'in-flight' });
    const seen = await bench().store.read(rowKey, limit);
    expect(seen).toMatchObject({ status: 'leased', fence: 0, owner: '' });
    if (seen === undefined) return;
    expect(await bench().store.reopen(seen, 'a person', nowMillis, limit)).toEqual({ status: 'landed' });
    expect(await ask(bench().store, rowKey)).toMatchObject({ status: 'claimed', claim: { fence: 2 } });
  });

  test('a lease that nobody can read is repaired by its holder', async () => {
    const claim = await heldFor({ after: 'claim' }, bench());
    await bench().seed({ ...(await bench().item(claim.rowKey)), leaseEndsAt: { S: 'soon' } });
    await bench().store.renew(claim, nowMillis + leaseMillis, limit);
    expect(await bench().item(claim.rowKey)).toMatchObject({
      leaseEndsAt: { N: String(nowMillis + leaseMillis) },
    });
  });
}
