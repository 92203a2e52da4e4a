/**
 * L3, atomic: writes put into the attempt's transaction commit together with the outcome or not at all. A crash
 * between them is impossible, not unlikely.
 */
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { PutStatement, Table, TransactStatement, UpdateStatement } from '../../lib/store/table.ts';
import { awsError } from '../support/faulty-table.ts';
import { product, type Twin } from '../support/lab.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type World, world } from '../support/rig.ts';
import { caught, withoutCondition } from '../support/twins.ts';

const modes = ['first', 'with-commit'] as const;
type Mode = (typeof modes)[number];

/** Counts a capture in two rows, the second under a condition when one is given. */
const capture =
  (ConditionExpression?: string) =>
  (_message: unknown, { transaction }: Attempt): void => {
    const one = {
      TableName: 'orders',
      UpdateExpression: 'ADD captures :one',
      ExpressionAttributeValues: { ':one': 1 },
    };
    transaction.update({ ...one, Key: { id: 'order' } });
    transaction.update({
      ...one,
      Key: { id: 'balance' },
      ...(ConditionExpression === undefined ? {} : { ConditionExpression }),
    });
  };

/** How often each row was counted, and whether the outcome is recorded. */
function state(w: World) {
  const count = (name: string) =>
    Number(w.items('orders').find(({ id }) => id?.S === name)?.captures?.N ?? 0);
  return { order: count('order'), balance: count('balance'), done: w.row('m1')?.status === 'completed' };
}

const nothing = { order: 0, balance: 0, done: false };
const everything = { order: 1, balance: 1, done: true };

const signal = new AbortController().signal;

/** A table that makes a transaction's writes one by one. */
const torn =
  (order: (items: TransactStatement['TransactItems']) => TransactStatement['TransactItems']): Twin =>
  (table) => ({
    ...table,
    async transact({ TransactItems }) {
      for (const { Put, Update } of order(TransactItems)) {
        if (Put !== undefined) await table.put(Put as PutStatement, signal);
        if (Update !== undefined) await table.update(Update as UpdateStatement, signal);
      }
    },
  });

const tornTwins: readonly (readonly [string, Twin])[] = [
  ['the outcome before the writes', torn((items) => items)],
  ['the writes before the outcome', torn((items) => items.toReversed())],
];

/**
 * The worker is killed around its `cut`-th write: that one still lands, or does not, and none after it is made.
 * The table then holds everything or nothing, and the redelivery makes it everything, once.
 */
async function killedAround(cut: number, lands: boolean, claim: Mode, twin: Twin = product): Promise<void> {
  const life = { writes: 0, isOver: false };
  const w = world({ table: (table) => twin(mortal(table, life, cut, lands)) });
  const deliver = w.consumer(capture(), { claim });
  await w.clock.until(deliver([record('m1')], w.clock.context(15_000)));
  expect([nothing, everything]).toContainEqual(state(w));

  Object.assign(life, { writes: Number.NEGATIVE_INFINITY, isOver: false });
  await w.clock.pass(60_000);
  const answer = await w.clock.until(deliver([again(record('m1'))], w.clock.context(15_000)));
  expect(failedIds(answer)).toEqual([]);
  expect(state(w)).toEqual(everything);
}

function mortal(table: Table, life: { writes: number; isOver: boolean }, cut: number, lands: boolean): Table {
  async function write(make: () => Promise<void>): Promise<void> {
    life.writes += 1;
    if (life.writes !== cut && !life.isOver) return make();
    if (lands && !life.isOver) await make();
    life.isOver = true;
    await new Promise<never>(() => {});
  }
  return {
    ...table,
    put: (...asked) => write(() => table.put(...asked)),
    update: (...asked) => write(() => table.update(...asked)),
    transact: (...asked) => write(() => table.transact(...asked)),
  };
}

describe.each(modes)("under claim '%s'", (claim) => {
  const cuts = [1, 2, 3].flatMap((cut) => [[cut, true] as const, [cut, false] as const]);

  test.each(cuts)(
    'a worker killed around write %i (it landed: %s) leaves everything or nothing',
    (cut, lands) => killedAround(cut, lands, claim),
  );

  test.each(tornTwins)('a kill is seen between writes that are made one by one, %s', (_, twin) =>
    caught(killedAround(claim === 'first' ? 2 : 1, true, claim, twin)),
  );
});

async function refusedCondition(claim: Mode, twin: Twin = product): Promise<void> {
  const w = world({ table: twin });
  const deliver = w.consumer(capture('captures < :one'), { claim });
  const answer = await w.clock.until(deliver([record('m1')], w.clock.context(15_000)));
  expect(failedIds(answer)).toEqual(['m1']);
  expect(state(w)).toEqual(nothing);
}

/** A request that is tried again is the very request, however late: what it counts is counted once. */
async function triedAgain(claim: Mode, twin: Twin = product): Promise<void> {
  const w = world({ table: twin });
  const statements: string[] = [];
  w.faults.intercept(async (call) => {
    const isTransaction = call.statement !== undefined && 'TransactItems' in call.statement;
    if (!isTransaction) return call.make();
    statements.push(JSON.stringify(call.statement));
    if (statements.length === 1) throw awsError('ThrottlingException');
    const answer = await call.make();
    if (statements.length === 2) throw awsError('ECONNRESET');
    return answer;
  });
  const deliver = w.consumer(
    (message: unknown, attempt: Attempt) => {
      capture()(message, attempt);
      const at = w.clock.wallMillis();
      attempt.transaction.put({ TableName: 'orders', Item: { id: 'at', at } });
    },
    { claim },
  );
  const answer = await w.clock.until(deliver([record('m1')], w.clock.context(15_000)));
  expect(failedIds(answer)).toEqual([]);
  expect(statements).toHaveLength(3);
  expect(new Set(statements).size).toBe(1);
  expect(state(w)).toEqual(everything);
  expect(w.seen.story('m1').at(-1)).toBe('completed');
}

/** A table that has forgotten the request's token. */
const withoutToken: Twin = (table) => ({
  ...table,
  transact: ({ ClientRequestToken: _, ...statement }, ...rest) => table.transact(statement, ...rest),
});

describe.each(modes)("under claim '%s' a transaction", (claim) => {
  test("that meets the user's refused condition applies nothing", () => refusedCondition(claim));

  test('that is made write by write applies some of it', () =>
    caught(
      refusedCondition(
        claim,
        torn((items) => items),
      ),
    ));

  test('is tried again as it was, and applied once', () => triedAgain(claim));

  test('is applied once although its token is forgotten: the claim refuses it', () =>
    triedAgain(claim, withoutToken));

  test('is applied twice with neither token nor condition', () =>
    caught(triedAgain(claim, (table) => withoutCondition(/./)(withoutToken(table)))));
});

/** Under `with-commit` both run; the claim decides whose writes exist. */
async function twoAtOnce(twin: Twin = product): Promise<void> {
  const w = world({ table: twin });
  let runs = 0;
  const work = capture();
  const deliver = w.consumer(
    async (message: unknown, attempt: Attempt) => {
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      work(message, attempt);
    },
    { claim: 'with-commit' },
  );
  const context = w.clock.context(15_000);
  const answers = [record('m1'), again(record('m1'))].map((one) => deliver([one], context));
  for (const answer of answers) expect(failedIds(await w.clock.until(answer))).toEqual([]);
  expect(runs).toBe(2);
  expect(state(w)).toEqual(everything);
}

test('of two attempts that ran at once under with-commit only one leaves its writes', () => twoAtOnce());

test('both leave their writes where the claim is no condition of them', () =>
  caught(twoAtOnce(withoutCondition(/attribute_not_exists/))));
