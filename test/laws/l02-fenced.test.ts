/**
 * L2, fenced: every write after the claim names the claim's fence and owner, and the owner stays in the row after
 * settle and release. A fenced-out attempt writes nothing, deletes nothing, sends nothing, changes no
 * visibility, acknowledges nothing.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Claim } from '../../lib/claim/claim-message.ts';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { ClaimRow } from '../../lib/words.ts';
import { type HeldWrite, heldFor, heldWrites } from '../store/contract/held-writes.ts';
import {
  ask,
  claimed,
  leaseMillis,
  limit,
  nowMillis,
  parking,
  release,
  settlement,
} from '../support/claims.ts';
import { type Lab, lab, product, recording, type Twin } from '../support/lab.ts';
import { always } from '../support/property.ts';
import { failedIds, record } from '../support/records.ts';
import { type Face, faces, world } from '../support/rig.ts';
import { caught, withoutCondition } from '../support/twins.ts';

type Since = (row: ClaimRow) => ClaimRow;

const claimedByAnother: Since = (row) => ({ ...row, fence: row.fence + 1, owner: 'another' });
const sweptAndClaimed: Since = (row) => ({ ...row, owner: 'another' });
/** Two processes restored from one snapshot draw the same random ids. */
const claimedByTheSameOwner: Since = (row) => ({ ...row, fence: row.fence + 1 });

async function writesNothing(held: HeldWrite, since: Since, twin: Twin = product): Promise<void> {
  const { store, item, row, seed, orders } = lab(twin);
  const claim = await heldFor(held, { store });
  const stands = since(row(claim.rowKey) as ClaimRow);
  seed(stands);
  const before = item(claim.rowKey);
  expect(await held.write(store, claim, limit)).toMatchObject({ status: 'refused', row: stands });
  expect(item(claim.rowKey)).toEqual(before);
  expect(orders()).toEqual([]);
}

describe.each(heldWrites.map((held) => [held.name, held] as const))('%s', (_, held) => {
  test.each([
    ['another claimed the row', claimedByAnother],
    ['the row was swept and claimed from the start', sweptAndClaimed],
    ['one with the same owner claimed the row', claimedByTheSameOwner],
  ])('writes nothing once %s', (_name, since) => writesNothing(held, since));

  test('without the owner writes into a swept and claimed row', () =>
    caught(writesNothing(held, sweptAndClaimed, withoutCondition(/#owner/))));

  test('without the fence writes into a row of the same owner', () =>
    caught(writesNothing(held, claimedByTheSameOwner, withoutCondition(/\bfence/))));
});

const rowKey = 'scope#key';
/** Longer than a lease, and three of them longer than a row lives. */
const longMillis = 1_000 * leaseMillis;

/** A row in the middle of its life, and whoever claimed it last. */
interface Life extends Lab {
  claim: Claim;
  now: number;
  /** Counts the steps: what is renewed or extended later goes further. */
  step: number;
}

/** What may happen to the row. Writes of the last claim are tried whatever stands there. */
const happenings = {
  async claim(life: Life) {
    const wanted = { nowMillis: life.now, messageId: `message-${life.step}`, maxAttempts: 100 };
    const verdict = await ask(life.store, rowKey, { ...wanted, purpose: 'run-alone' });
    if (verdict.status === 'claimed') life.claim = verdict.claim;
  },
  timePasses(life: Life) {
    life.now += longMillis;
  },
  renew: ({ store, claim, now, step }: Life) => store.renew(claim, now + (step + 2) * leaseMillis, limit),
  settle: ({ store, claim }: Life) => store.settle(claim, settlement, [], limit),
  settleWithFollowUps: ({ store, claim }: Life) =>
    store.settle(claim, { ...settlement, followUps: ['first', 'second'] }, [], limit),
  release: ({ store, claim }: Life) => store.release(claim, release, limit),
  park: ({ store, claim }: Life) => store.park(claim, parking, limit),
  reopen: ({ store, row, now, step }: Life) =>
    store.reopen(row(rowKey) as ClaimRow, `person-${step}`, now, limit),
};

/** Marks are made on an outcome that was seen. */
const marks = {
  oneSent: { on: 'completed', mark: ({ store, claim }: Life) => store.markSent(claim, 1, false, limit) },
  allSent: { on: 'completed', mark: ({ store, claim }: Life) => store.markSent(claim, 2, true, limit) },
  parkedSent: { on: 'parked', mark: ({ store, claim }: Life) => store.markParked(claim, limit) },
  extend: {
    on: 'completed',
    mark: ({ store, claim, step }: Life) =>
      store.extend(claim, settlement.expiresAt + (step + 2) * leaseMillis, limit),
  },
};

type Step = keyof typeof happenings | keyof typeof marks;
const steps = [...Object.keys(happenings), ...Object.keys(marks)] as readonly Step[];

async function take(step: Step, life: Life): Promise<void> {
  if (step in happenings) await happenings[step as keyof typeof happenings](life);
  const { on, mark } = marks[step as keyof typeof marks] ?? {};
  if (on !== undefined && on === life.row(rowKey)?.status) await mark(life);
}

/** After each step of a life every earlier request arrives once more. */
async function lateCopiesChangeNothing(twin: Twin = product): Promise<void> {
  const ways = fc.array(fc.constantFrom(...steps), { maxLength: 12 });
  const check = fc.asyncProperty(ways, async (way) => {
    const requests: (() => Promise<unknown>)[] = [];
    const born = lab((table) => recording(twin(table), requests));
    const life: Life = { ...born, claim: await claimed(born.store, rowKey), now: nowMillis, step: 0 };
    for (const step of way) {
      life.step += 1;
      await take(step, life);
      const left = life.item(rowKey);
      for (const request of [...requests]) {
        await request().catch(() => {});
        expect(life.item(rowKey)).toEqual(left);
      }
    }
  });
  await always(check, 400);
}

describe('a request that arrives once more, however late', () => {
  test('changes nothing', () => lateCopiesChangeNothing());

  test.each([
    ['a renewal may shorten the lease', /NOT \bleaseEndsAt/],
    ['an extension may shorten the retention', /NOT \bexpiresAt/],
    ['a count of follow-ups may fall', /\bfollowUpsSent/],
    ['the status does not count', /#status IN/],
    ['neither fence nor owner counts', /\bfence|#owner/],
    ['a claim takes any row', /attribute_not_exists/],
    ['a claim does not look at what it saw', /:seenFence|:seenOwner/],
  ])('changes something where %s', (_, part) => caught(lateCopiesChangeNothing(withoutCondition(part))));
});

test.each(['settle', 'release', 'park'])('the owner stays in the row after %s', async (name) => {
  const { store, item } = lab();
  const held = heldWrites.find((write) => write.name === name) as HeldWrite;
  const claim = await heldFor(held, { store });
  await held.write(store, claim, limit);
  expect(item(claim.rowKey)).toMatchObject({ owner: { S: claim.owner }, fence: { N: '1' } });
});

/** How a handler may end that has slept through its lease. */
const endings: readonly (readonly [string, (attempt: Attempt) => unknown])[] = [
  ['returns', () => 'done'],
  ['throws', () => Promise.reject(new Error('no'))],
  ['wants the message back later', () => Promise.reject(new RetryLaterError({ afterSeconds: 5 }))],
  ['calls the message poison', () => Promise.reject(new PoisonMessageError('bad'))],
  [
    'returns with a write collected',
    ({ transaction }) =>
      transaction.update({
        TableName: 'orders',
        Key: { id: 'order' },
        UpdateExpression: 'SET total = :total',
        ExpressionAttributeValues: { ':total': 12 },
      }),
  ],
  [
    'returns with a follow-up collected',
    ({ followUps }) => followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next', body: {} }),
  ],
];

async function sleeperDoesNothing(face: Face, end: (attempt: Attempt) => unknown, twin: Twin = product) {
  const w = world({ table: twin });
  const asleep = Promise.withResolvers<void>();
  const deliver = w.consumer(
    async (_message: unknown, attempt: Attempt) => {
      await asleep.promise;
      return end(attempt);
    },
    { maxAttempts: 1 },
    face,
  );
  const answer = deliver([record('m1')], w.clock.context(30_000));
  await w.clock.pass(10);
  const mine = w.row('m1') as ClaimRow;
  const woken = mine.claimedAt + 40_000;
  await claimed(w.claims, mine.claim, { nowMillis: woken, purpose: 'run-alone' });
  const theirs = w.row('m1');

  asleep.resolve();
  expect(failedIds(await w.clock.until(answer))).toEqual(['m1']);
  expect(w.row('m1')).toEqual(theirs);
  expect(w.items('orders')).toEqual([]);
  const touched = w.sqs.calls.filter(({ name }) => /^(SendMessage|ChangeMessageVisibility)/.test(name));
  expect(touched).toEqual([]);
  expect(w.seen.story('m1')).toEqual(['claimed', 'fenced-out']);
}

describe.each(faces)('behind %s a handler that wakes after a takeover', (face) => {
  test.each(endings)('and %s changes nothing, sends nothing and acknowledges nothing', (_, end) =>
    sleeperDoesNothing(face, end),
  );
});

test.each(endings)('a sleeper that %s is not stopped where neither fence nor owner counts', (_, end) =>
  caught(sleeperDoesNothing('consumeOnce', end, withoutCondition(/\bfence|#owner/))),
);
