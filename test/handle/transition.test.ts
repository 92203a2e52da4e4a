import { describe, expect, expectTypeOf, test } from 'vitest';
import { TransactionRejectedError } from '../../lib/errors.ts';
import { stateMachine } from '../../lib/handle/state-machine.ts';
import { type AttemptTransaction, createTransaction } from '../../lib/handle/transaction.ts';
import type { MachineTransition } from '../../lib/handle/transition.ts';

const payment = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });
const door = stateMachine({ built: ['open'], open: ['closed', 'broken'], closed: ['open'] });

const target = { TableName: 'payments', Key: { id: 'p-1' }, attribute: 'state' };

function collect() {
  return createTransaction({ claimTable: 'claims', ensureOpen: () => {} });
}

/** The judgement on a transition that found `state`; absent without one. */
function judge(input: object, state?: unknown) {
  const collected = collect();
  collected.face.transition({ ...target, ...input } as never);
  const item = state === undefined ? undefined : { id: { S: 'p-1' }, state: { S: state } };
  return collected.judge([{ index: 0, item }]);
}

const early = { status: 'early', error: expect.any(TransactionRejectedError) };

describe('a transition', () => {
  test('is one update, allowed from the states one step before', () => {
    const collected = collect();
    collected.face.transition({
      ...target,
      machine: payment,
      to: 'captured',
      set: { amount: 5, note: undefined },
    });
    expect(collected.freeze()).toEqual([
      {
        Update: {
          TableName: 'payments',
          Key: { id: { S: 'p-1' } },
          UpdateExpression: 'SET #state = :to, #set0 = :set0',
          ConditionExpression: '#state IN (:from0)',
          ExpressionAttributeNames: { '#state': 'state', '#set0': 'amount' },
          ExpressionAttributeValues: {
            ':to': { S: 'captured' },
            ':from0': { S: 'authorised' },
            ':set0': { N: '5' },
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  test.each([
    ['from null', { from: null, to: 'x' }, 'attribute_not_exists(#state)'],
    ['to an initial state', { machine: payment, to: 'authorised' }, 'attribute_not_exists(#state)'],
    [
      'from null to any state of a machine',
      { machine: payment, from: null, to: 'refunded' },
      'attribute_not_exists(#state)',
    ],
    [
      'from one state of several',
      { machine: door, early: 'return', from: 'closed', to: 'open' },
      '#state IN (:from0)',
    ],
    ['from several', { machine: door, early: 'return', to: 'open' }, '#state IN (:from0, :from1)'],
    ['without a machine', { from: 'a', to: 'b' }, '#state IN (:from0)'],
  ])('%s states what it starts from', (_, input, condition) => {
    const collected = collect();
    collected.face.transition({ ...target, ...input } as never);
    expect(collected.freeze()).toEqual([
      { Update: expect.objectContaining({ ConditionExpression: condition }) },
    ]);
  });

  test.each([
    ['no target', { machine: payment }, 'to is missing'],
    ['no attribute', { attribute: undefined, machine: payment, to: 'voided' }, 'attribute is missing'],
    [
      'no key',
      { Key: undefined, machine: payment, to: 'voided' },
      'transaction.transition: Key is undefined',
    ],
    ['neither from nor machine', { to: 'voided' }, 'has no from; give one, or a machine'],
    ['early without a machine', { from: 'a', to: 'b', early: 'return' }, 'has early and no machine'],
    ['edges for a machine', { machine: { a: ['b'] }, to: 'b' }, 'machine is no state machine'],
    ['null for a machine', { machine: null, to: 'b' }, 'machine is no state machine'],
    [
      'a state of no machine',
      { machine: payment, to: 'stolen' },
      'has no state "stolen"; it has authorised, captured',
    ],
    ['a from of no machine', { machine: payment, from: 'stolen', to: 'voided' }, 'has no state "stolen"'],
    [
      'a step the machine has not',
      { machine: payment, from: 'voided', to: 'captured' },
      'no step from "voided" to "captured"',
    ],
    ['a cycle that does not say early', { machine: door, to: 'open' }, 'has a cycle'],
    ['another early', { machine: payment, to: 'voided', early: 'wait' }, "give 'return' or 'reject'"],
    ['the state in set', { machine: payment, to: 'voided', set: { state: 'x' } }, 'set has "state"'],
    [
      'the key for a state',
      { machine: payment, attribute: 'id', to: 'voided' },
      'attribute is "id", which is part',
    ],
    ['the key in set', { machine: payment, to: 'voided', set: { id: 'x' } }, 'set has "id"'],
    [
      'a Date in set',
      { machine: payment, to: 'voided', set: { at: new Date(0) } },
      'transaction.transition: set.at is a Date',
    ],
    ['an unknown property', { machine: payment, to: 'voided', State: 1 }, 'no property "State"'],
  ])('with %s is refused at its line', (_, input, said) => {
    const collected = collect();
    const refused = () => collected.face.transition({ ...target, ...input } as never);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(said);
    expect(collected.size).toBe(0);
  });
});

describe('a refused transition of a machine', () => {
  test('is late where its own state stands already', () => {
    expect(judge({ machine: payment, to: 'captured' }, 'captured')).toEqual({
      status: 'rejected',
      reason: 'late: "state" is "captured" already',
    });
  });

  test('is late where no way leads to its state any more', () => {
    expect(judge({ machine: payment, to: 'captured' }, 'refunded')).toEqual({
      status: 'rejected',
      reason: 'late: "state" is "refunded", from which "captured" is out of reach',
    });
    expect(judge({ machine: payment, to: 'refunded' }, 'voided')).toMatchObject({ status: 'rejected' });
  });

  test('is early where steps are missing, and says which', () => {
    const judgement = judge({ machine: payment, to: 'refunded' }, 'authorised');
    expect(judgement).toEqual(early);
    expect(judgement.status === 'early' && judgement.error.message).toBe(
      'nothing of the transaction was applied: the condition of write 0 (transition in "payments") did not hold; ' +
        'early: "state" is "authorised" and "refunded" follows "captured"',
    );
  });

  test('is early where nothing stands yet, or an item without a state', () => {
    expect(judge({ machine: payment, to: 'captured' })).toEqual(early);
    const collected = collect();
    collected.face.transition({ ...target, machine: payment, to: 'captured' });
    expect(collected.judge([{ index: 0, item: { id: { S: 'p-1' } } }])).toEqual(early);
  });

  test('is rejected instead of early where that is wanted', () => {
    const reject = { machine: payment, early: 'reject' };
    expect(judge({ ...reject, to: 'refunded' }, 'authorised')).toEqual({
      status: 'rejected',
      reason: 'early: "state" is "authorised" and "refunded" follows "captured"',
    });
    expect(judge({ ...reject, to: 'captured' })).toMatchObject({ status: 'rejected' });
  });

  test('that creates is late wherever anything stands', () => {
    expect(judge({ machine: payment, to: 'authorised' }, 'refunded')).toEqual({
      status: 'rejected',
      reason: 'late: "state" is there already',
    });
    expect(judge({ machine: payment, from: null, to: 'voided' }, 'authorised')).toMatchObject({
      status: 'rejected',
    });
  });

  test('from one state is judged by whether that state can still come', () => {
    const both = stateMachine({ a: ['b', 'c'], b: ['c'] });
    expect(judge({ machine: both, from: 'b', to: 'c' }, 'a')).toEqual(early);
    expect(judge({ machine: both, from: 'a', to: 'c' }, 'b')).toMatchObject({ status: 'rejected' });
  });

  test('round a cycle is what the handler said it is, and late once out of the cycle', () => {
    expect(judge({ machine: door, early: 'return', from: 'closed', to: 'open' }, 'built')).toEqual(early);
    expect(judge({ machine: door, early: 'return', to: 'open' }, 'broken')).toMatchObject({
      status: 'rejected',
    });
    expect(judge({ machine: door, early: 'return', to: 'closed' }, 'closed')).toMatchObject({
      status: 'rejected',
    });
  });

  test.each([['stolen'], [undefined]])('that finds a state of another machine is a failure: %j', (S) => {
    const collected = collect();
    collected.face.transition({ ...target, machine: payment, to: 'captured', early: 'reject' });
    const state = S === undefined ? { N: '3' } : { S };
    const judgement = collected.judge([{ index: 0, item: { id: { S: 'p-1' }, state } }]);
    expect(judgement).toMatchObject({ status: 'condition', error: { index: 0 } });
    expect(judgement.status === 'condition' && judgement.error.message).toContain(
      "none of the machine's states",
    );
    expect(judgement.status === 'condition' && judgement.error.message).not.toContain('stolen');
  });

  test('reads an item that came native just as well', () => {
    const collected = collect();
    collected.face.transition({ ...target, machine: payment, to: 'refunded' });
    expect(collected.judge([{ index: 0, item: { id: 'p-1', state: 'authorised' } }])).toEqual(early);
    expect(collected.judge([{ index: 0, item: { id: 'p-1', state: 'voided' } }])).toMatchObject({
      status: 'rejected',
    });
  });
});

describe('a refused transition without a machine', () => {
  test.each([[undefined], ['b'], ['z']])('is rejected, whatever stands there: %j', (state) => {
    expect(judge({ from: 'a', to: 'b' }, state)).toMatchObject({ status: 'rejected' });
  });

  test('says what was needed and not what was found', () => {
    expect(judge({ from: 'a', to: 'b' }, 'z')).toEqual({
      status: 'rejected',
      reason: '"state" is not "a", from which alone it may become "b"',
    });
    expect(judge({ from: null, to: 'b' }, 'z')).toMatchObject({ reason: 'late: "state" is there already' });
  });
});

describe('several refused conditions', () => {
  const one = { TableName: 'payments', attribute: 'state', machine: payment };
  const stands = (id: string, state: string) => ({ id: { S: id }, state: { S: state } });

  test("are a failure when one of them is the user's own, whatever the transitions say", () => {
    const collected = collect();
    collected.face.transition({ ...one, Key: { id: 'p-1' }, to: 'captured' });
    collected.face.check({ TableName: 'stock', Key: { sku: 'cup' }, ConditionExpression: 'held > n' });
    const judgement = collected.judge([
      { index: 0, item: stands('p-1', 'refunded') },
      { index: 1, item: undefined },
    ]);
    expect(judgement).toMatchObject({
      status: 'condition',
      error: { index: 0, failures: [{ index: 0 }, { index: 1 }] },
    });
  });

  test('are rejected when one of the transitions is late, because no retry would land', () => {
    const collected = collect();
    collected.face.transition({ ...one, Key: { id: 'p-1' }, to: 'refunded' });
    collected.face.transition({ ...one, Key: { id: 'p-2' }, to: 'captured' });
    const failures = [
      { index: 0, item: stands('p-1', 'authorised') },
      { index: 1, item: stands('p-2', 'voided') },
    ];
    expect(collected.judge(failures)).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('"voided"'),
    });
    expect(collected.judge(failures.slice(0, 1))).toEqual(early);
  });

  test('are a failure when one is early and another found a state nobody knows', () => {
    const collected = collect();
    collected.face.transition({ ...one, Key: { id: 'p-1' }, to: 'refunded' });
    collected.face.transition({ ...one, Key: { id: 'p-2' }, to: 'captured' });
    expect(
      collected.judge([
        { index: 0, item: stands('p-1', 'authorised') },
        { index: 1, item: stands('p-2', 'stolen') },
      ]),
    ).toMatchObject({ status: 'condition' });
  });
});

test('the types of a transition know the states of its machine', () => {
  const { transition } = collect().face;
  transition({ ...target, machine: payment, from: 'authorised', to: 'voided', early: 'reject' });
  transition({ TableName: 'other', Key: { id: 1 }, attribute: 'state', from: null, to: 'anything' });
  // @ts-expect-error no such state to go to
  expect(() => transition({ ...target, machine: payment, to: 'stolen' })).toThrow();
  // @ts-expect-error no such state to come from
  expect(() => transition({ ...target, machine: payment, from: 'stolen', to: 'voided' })).toThrow();
  // @ts-expect-error without a machine it must say where it comes from
  expect(() => transition({ ...target, to: 'voided' })).toThrow();
  // @ts-expect-error early and late are told apart by a machine
  expect(() => transition({ ...target, from: 'a', to: 'b', early: 'reject' })).toThrow();
  expectTypeOf<MachineTransition<'a' | 'b'>>().toHaveProperty('to').toEqualTypeOf<'a' | 'b'>();
  expectTypeOf<AttemptTransaction['transition']>().returns.toEqualTypeOf<void>();
});

test('the types of the other writes ask for what DynamoDB asks for', () => {
  const { put, update, check } = collect().face;
  interface Order {
    readonly id: string;
    readonly total: number;
  }
  const order: Order = { id: 'a', total: 1 };
  put({ TableName: 'orders', Item: { ...order } });
  put({ TableName: 'orders', Item: order });
  // @ts-expect-error an update needs its expression
  expect(() => update({ TableName: 'orders', Key: { id: 'b' } })).toThrow();
  // @ts-expect-error a check needs its condition
  expect(() => check({ TableName: 'orders', Key: { id: 'c' } })).toThrow();
});
