/**
 * L14, own echo: a write of ours that landed though its reply was lost is recognised as ours when the retry is
 * refused.
 */
import { describe, expect, test } from 'vitest';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { rowToItem } from '../../lib/store/row-codec.ts';
import type { UpdateStatement } from '../../lib/store/table.ts';
import { type HeldWrite, heldFor, heldWrites, orderOf } from '../store/contract/held-writes.ts';
import { tellingOldItems } from '../store/old-items.ts';
import { ask, limit, row, settlement } from '../support/claims.ts';
import { awsError } from '../support/faulty-table.ts';
import { lab, product, type Twin } from '../support/lab.ts';
import { again, failedIds, record } from '../support/records.ts';
import { world } from '../support/rig.ts';
import { caught } from '../support/twins.ts';

/** A transaction's token lives for ten minutes. These are over. */
const tokenless: Twin = (table) => ({
  ...table,
  transact: ({ ClientRequestToken: _, ...statement }, ...rest) => table.transact(statement, ...rest),
});

/**
 * A client that loses its first reply and tries again by itself, as the SDK does. What it hears then is all that
 * its caller hears.
 */
const retrying: Twin = (given) => {
  const table = tokenless(given);
  const twice = async (make: () => Promise<void>): Promise<void> => {
    await make().catch(() => {});
    return make();
  };
  return {
    ...table,
    put: (...asked) => twice(() => table.put(...asked)),
    update: (...asked) => twice(() => table.update(...asked)),
    transact: (...asked) => twice(() => table.transact(...asked)),
  };
};

/** Refusals that do not tell whose row they met, or in which claim of it. */
const nameless: Twin = (table) => tellingOldItems(table, (item) => ({ ...item, owner: { S: 'somebody' } }));
const fenceless: Twin = (table) => tellingOldItems(table, (item) => ({ ...item, fence: { N: '99' } }));

/** Settle, release and park that take their owner out of the row. */
const leaveTaking: Twin = (table) => ({
  ...table,
  update: (statement, signal) => table.update(withoutOwner(statement), signal),
  transact: ({ TransactItems: [own, ...users], ...statement }, signal) =>
    table.transact(
      { ...statement, TransactItems: [{ Update: withoutOwner(own?.Update as UpdateStatement) }, ...users] },
      signal,
    ),
});

function withoutOwner(statement: UpdateStatement): UpdateStatement {
  if (statement.ExpressionAttributeValues[':status'] === undefined) return statement;
  return { ...statement, UpdateExpression: statement.UpdateExpression.replace('REMOVE ', 'REMOVE #owner, ') };
}

const lost =
  (twin: Twin): Twin =>
  (table) =>
    retrying(twin(table));

async function landsOnce(held: HeldWrite, twin: Twin = product): Promise<void> {
  const { store, item, orders } = lab((table) => tokenless(twin(table)));
  const claim = await heldFor(held, { store });
  expect(await held.write(store, claim, limit)).toEqual({ status: 'landed' });
  const left = item(claim.rowKey);
  const written = orders();
  expect(await held.write(store, claim, limit)).toEqual({ status: 'landed' });
  expect([item(claim.rowKey), orders()]).toEqual([left, written]);
}

const named = heldWrites.map((held) => [held.name, held] as const);
/** Their second copy finds them refused; the other writes only repeat what they did. */
const refusedTwice = ['settle', 'settle as rejected', 'settle with writes', 'release', 'park'];

test.each(named)('%s lands once, and is told as landed every time', (_, held) => landsOnce(held));

describe.each([
  ['does not tell the owner', nameless],
  ['does not tell the fence', fenceless],
  ['forgets the owner when its claim is left', leaveTaking],
])('by a table that %s', (_, twin) => {
  test.each(named.filter(([name]) => refusedTwice.includes(name)))(
    'our own %s is not recognised',
    (_name, held) => caught(landsOnce(held, twin)),
  );
});

const released = row({ claim: 'scope#released', status: 'released', fence: 3, attempts: 2 });

async function claimedOnce(twin: Twin): Promise<void> {
  const { store, seed, row: standing } = lab(twin);
  seed(rowToItem(released));
  for (const [rowKey, fence, attempts] of [
    ['scope#absent', 1, 1],
    [released.claim, 4, 3],
  ] as const) {
    const verdict = await ask(store, rowKey);
    expect(verdict).toMatchObject({ status: 'claimed', claim: { fence, row: { attempts } } });
    expect(standing(rowKey)).toMatchObject({ fence, attempts, status: 'leased' });
  }
}

async function committedOnce(twin: Twin): Promise<void> {
  const { store, seed, row: standing, orders } = lab(twin);
  seed(rowToItem(released));
  for (const over of [undefined, released]) {
    for (const writes of [[], [orderOf(`order ${over?.claim}`)]]) {
      if (over !== undefined) seed(rowToItem(over));
      const mine = row({
        ...settlement,
        claim: over?.claim ?? `scope#absent ${writes.length}`,
        fence: (over?.fence ?? 0) + 1,
        owner: 'mine',
      });
      expect(await store.commit(mine, over, writes, limit)).toEqual({ status: 'landed' });
      expect(standing(mine.claim)).toEqual(mine);
    }
  }
  expect(orders()).toHaveLength(2);
}

describe.each([
  ['a claim', claimedOnce],
  ['a commit', committedOnce],
])('%s whose reply is lost', (_, once) => {
  test('is ours', () => once(retrying));

  test.each([
    ['does not tell the owner', nameless],
    ['does not tell the fence', fenceless],
  ])('is taken for another’s by a table that %s', (_name, twin) => caught(once(lost(twin))));
});

test('a claim of ours that lies under another fence is not the one that was asked for', async () => {
  const { store, seed } = lab();
  const older = row({ claim: released.claim, fence: 1, owner: 'mine' });
  seed(older);
  const mine = row({ claim: released.claim, fence: 4, owner: 'mine' });
  expect(await store.acquire(mine, released, limit)).toEqual({ status: 'refused', row: older });
});

test('an outcome of ours that another settle recorded is not the one that was asked for', async () => {
  const { store } = lab();
  const claim = await heldFor({ after: 'settle' }, { store });
  const late = { ...settlement, status: 'rejected', reason: 'late' } as const;
  expect(await store.settle(claim, late, [], limit)).toMatchObject({
    status: 'refused',
    row: { status: 'completed' },
  });
});

type Handler = (attempt: Attempt) => unknown;

const fail = (error: Error) => Promise.reject(error);

function collects({ transaction, followUps }: Attempt): void {
  transaction.update({
    TableName: 'orders',
    Key: { id: 'order' },
    UpdateExpression: 'ADD captures :one',
    ExpressionAttributeValues: { ':one': 1 },
  });
  for (const body of ['a', 'b'])
    followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/n', body });
}

/** A handler that wants its message back once, and then is done. */
function waits(): Handler {
  let comings = 0;
  return () => {
    comings += 1;
    return comings === 1 ? fail(new RetryLaterError({ afterSeconds: 5 })) : 'done';
  };
}

const lives: readonly (readonly [string, () => Handler])[] = [
  ['returns', () => () => ({ charge: 'ch_1' })],
  ['collects a write and two follow-ups', () => collects],
  [
    'throws twice',
    () =>
      ({ number }) =>
        number < 3 ? fail(new Error('no')) : 'done',
  ],
  ['never succeeds', () => () => fail(new Error('no'))],
  ['is poison', () => () => fail(new PoisonMessageError('bad'))],
  ['wants the message back', waits],
];

/** What table, queue and observers see of a message that SQS delivers six times. */
async function lived(handler: Handler, claim: 'first' | 'with-commit', table: Twin) {
  const w = world({ table });
  const deliver = w.consumer((_message: unknown, attempt: Attempt) => handler(attempt), { claim });
  const answers: unknown[] = [];
  for (let receives = 1; receives <= 6; receives += 1) {
    answers.push(await w.clock.until(deliver([again(record('m1'), receives)], w.clock.context(15_000))));
    await w.clock.pass(60_000);
  }
  return { answers, rows: w.rows(), orders: w.items('orders'), sqs: w.sqs.calls, story: w.seen.story('m1') };
}

async function sameLife(of: () => Handler, claim: 'first' | 'with-commit', twin: Twin): Promise<void> {
  expect(await lived(of(), claim, lost(twin))).toEqual(await lived(of(), claim, product));
}

describe.each(['first', 'with-commit'] as const)("under claim '%s'", (claim) => {
  test.each(lives)('a message whose handler %s lives the same when every reply is lost once', (_, of) =>
    sameLife(of, claim, product),
  );
});

test.each(lives)('a message whose handler %s lives otherwise where echoes are not recognised', (_, of) =>
  caught(sameLife(of, 'first', nameless)),
);

/** The commit lands, and nobody hears of it until the time is up. */
async function unheardCommit(twin: Twin): Promise<void> {
  const w = world({ table: twin });
  const deliver = w.consumer((_message: unknown, attempt: Attempt) => collects(attempt), { maxAttempts: 1 });
  w.faults.intercept(async (call) => {
    await call.make();
    if (call.purpose === 'commit') throw awsError('TimeoutError');
  });
  const answer = await w.clock.until(deliver([record('m1')], w.clock.context(5_000)));
  expect(w.row('m1')?.status).toBe('completed');
  expect(w.seen.of('fenced-out')).toEqual([]);
  expect(w.sqs.inputsOf('SendMessage')).toEqual([]);
  expect(failedIds(answer)).toEqual([]);
  expect(w.seen.story('m1').at(-1)).toBe('duplicate');
}

describe('a commit that landed although every reply was lost until the time was up', () => {
  test('is no failure of the last attempt: nothing is parked, the message is its duplicate', () =>
    unheardCommit(product));

  test('is told from a stranger: a store that does not know its own outcome is caught', () =>
    caught(unheardCommit(nameless)));
});
