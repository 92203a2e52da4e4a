// One request may reach the table more than once: the SDK tries again when a reply is lost, and the network
// repeats what it likes. The table is changed once, and whoever asked learns that it was.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowToItem } from '../../lib/store/row-codec.ts';
import {
  ask,
  claimed,
  leaseMillis,
  limit,
  nowMillis,
  parking,
  release,
  row,
  settlement,
} from '../support/claims.ts';
import { standInHeaders } from '../support/lean-dynamo-client.ts';
import { freshKey, type Held, heldFor, heldWrites, orderOf } from './contract/held-writes.ts';
import { type DynamoBench, type LocalDynamo, openDynamoBench, startLocalDynamo } from './dynamo-bench.ts';

let dynamo: LocalDynamo;
let bench: DynamoBench;

beforeAll(async () => {
  dynamo = await startLocalDynamo();
  bench = await openDynamoBench(dynamo, undefined, 3);
});

afterAll(async () => {
  await bench.close();
  await dynamo.stop();
});

const since = (seen: number) => bench.proxy.requests.slice(seen);

describe("a lost reply that the SDK's own retry asks for again", () => {
  test.each(heldWrites.map((write) => [write.name, write] as const))('is that of our %s', async (_, held) => {
    const claim = await heldFor(held, bench);
    const seen = bench.calls();
    bench.loseNextReply();
    expect(await held.write(bench.store, claim, limit)).toEqual({ status: 'landed' });
    expect(bench.calls() - seen).toBe(2);
  });

  test('is that of our claim: the message is claimed, with one attempt counted', async () => {
    const rowKey = freshKey();
    bench.loseNextReply();
    expect(await ask(bench.store, rowKey)).toMatchObject({ status: 'claimed', claim: { fence: 1 } });
    const released = row({ claim: freshKey(), status: 'released', fence: 3, attempts: 2 });
    await bench.seed(rowToItem(released));
    bench.proxy.dropNextReply(({ body }) => body.includes(':seenFence'));
    expect(await ask(bench.store, released.claim)).toMatchObject({ status: 'claimed', claim: { fence: 4 } });
    expect(await bench.store.read(released.claim, limit)).toMatchObject({ fence: 4, attempts: 3 });
  });

  test('is that of our commit', async () => {
    for (const writes of [[], [orderOf('committed')]]) {
      const mine = row({ ...settlement, claim: freshKey(), owner: 'mine' });
      bench.loseNextReply();
      expect(await bench.store.commit(mine, undefined, writes, limit)).toEqual({ status: 'landed' });
      expect(await bench.store.read(mine.claim, limit)).toEqual(mine);
    }
  });
});

describe('a transaction', () => {
  test('is the very same request every time it is tried, and another with the next attempt', async () => {
    const { store } = bench;
    const claim = await heldFor({ after: 'claim' }, bench);
    const seen = bench.calls();
    bench.failNext('TransactionInProgressException', 4);
    bench.proxy.dropNextRequest();
    await store.settle(claim, settlement, [orderOf(claim.orderId)], { timeoutMillis: 1 }).catch(() => {});
    await store.settle(claim, settlement, [orderOf(claim.orderId)], limit);
    const bodies = since(seen).map(({ body }) => body);
    expect(bodies.length).toBeGreaterThanOrEqual(3);
    expect(new Set(bodies).size).toBe(1);

    const next = await heldFor({ after: 'claim' }, bench);
    await store.settle(next, settlement, [orderOf(next.orderId)], limit);
    const tokens = [bodies[0], bench.proxy.requests.at(-1)?.body].map(
      (body) => JSON.parse(body ?? '{}').ClientRequestToken,
    );
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^.{1,36}$/);
  });
});

/** What becomes of a claim; each step is a request. */
const lives: Record<string, (held: Held) => readonly (() => Promise<unknown>)[]> = {
  'worked long, was settled and had its follow-ups sent': (held) => [
    () => bench.store.renew(held, nowMillis + 2 * leaseMillis, limit),
    () => bench.store.renew(held, nowMillis + 3 * leaseMillis, limit),
    () => bench.store.settle(held, { ...settlement, followUps: ['a', 'b'] }, [orderOf(held.orderId)], limit),
    () => bench.store.markSent(held, 1, false, limit),
    () => bench.store.markSent(held, 2, true, limit),
    () => bench.store.extend(held, settlement.expiresAt + 1_000, limit),
    () => bench.store.extend(held, settlement.expiresAt + 2_000, limit),
  ],
  'was given back': (held) => [
    () => bench.store.renew(held, nowMillis + 2 * leaseMillis, limit),
    () => bench.store.release(held, release, limit),
  ],
  'was given back and claimed by another': (held) => [
    () => bench.store.release(held, release, limit),
    () => claimed(bench.store, held.rowKey),
  ],
  'was parked, and a person let it go': (held) => [
    () => bench.store.park(held, parking, limit),
    () => bench.store.markParked(held, limit),
    async () => {
      const seen = await bench.store.read(held.rowKey, limit);
      if (seen !== undefined) await bench.store.reopen(seen, 'a person', nowMillis, limit);
    },
  ],
};

test.each(Object.entries(lives))(
  'the requests of a claim that %s change nothing when the network delivers them again',
  async (_, life) => {
    const seen = bench.calls();
    const held = await heldFor({ after: 'claim' }, bench);
    for (const step of life(held)) await step();
    const left = await bench.item(held.rowKey);
    const requests = since(seen);
    expect(requests.length).toBeGreaterThanOrEqual(life(held).length + 1);
    for (const { target, body } of requests) {
      await sendAgain(target, body);
      expect(await bench.item(held.rowKey), `${target} ${body}`).toEqual(left);
    }
  },
);

/** The very bytes once more, past the client. */
async function sendAgain(target: string, body: string): Promise<void> {
  const answer = await fetch(dynamo.emulator.endpoint, {
    method: 'POST',
    headers: { ...standInHeaders, 'x-amz-target': target },
    body,
  });
  await answer.text();
  expect([200, 400]).toContain(answer.status);
}
