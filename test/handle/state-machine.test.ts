import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { ConfigurationError } from '../../lib/errors.ts';
import { type StateMachine, stateMachine } from '../../lib/handle/state-machine.ts';

const payment = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });

describe('a state machine', () => {
  test('has every state named, on either side of a step', () => {
    expect(payment.states).toEqual(['authorised', 'captured', 'voided', 'refunded']);
    expect(['voided', 'refunded', 'stolen', 'toString'].map((state) => payment.has(state))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('knows what comes one step before, and that nothing comes before an initial state', () => {
    expect(payment.predecessors('captured')).toEqual(['authorised']);
    expect(payment.predecessors('authorised')).toEqual([]);
    expect(stateMachine({ a: ['c'], b: ['c'] }).predecessors('c')).toEqual(['a', 'b']);
  });

  test('reaches over several steps, never backwards, and itself only round a cycle', () => {
    expect(payment.reachable('authorised', 'refunded')).toBe(true);
    expect(payment.reachable('refunded', 'captured')).toBe(false);
    expect(payment.reachable('captured', 'captured')).toBe(false);
    expect(stateMachine({ open: ['closed'], closed: ['open'] }).reachable('open', 'open')).toBe(true);
  });

  test('says whether it has a cycle, a step to itself included', () => {
    expect(payment.hasCycle).toBe(false);
    expect(stateMachine({ a: ['b'], b: ['c'], c: ['b'] }).hasCycle).toBe(true);
    expect(stateMachine({ a: ['a'] }).hasCycle).toBe(true);
    expect(stateMachine({ a: ['b', 'c'], b: ['d'], c: ['d'] }).hasCycle).toBe(false);
  });

  test('cannot be changed, and does not change with what it was made from', () => {
    const edges: Record<string, string[]> = { a: ['b'] };
    const machine = stateMachine(edges);
    edges.a?.push('c');
    expect(machine.reachable('a', 'c')).toBe(false);
    expect([machine, machine.states, machine.predecessors('b')].every(Object.isFrozen)).toBe(true);
  });

  test('takes states named like parts of an object', () => {
    const machine = stateMachine({ constructor: ['hasOwnProperty'] });
    expect(machine.reachable('constructor', 'hasOwnProperty')).toBe(true);
    expect(machine.predecessors('constructor')).toEqual([]);
  });

  test.each([
    ['no states', {}, 'given no states'],
    ['nothing', undefined, 'given no states'],
    ['a blank state', { ' ': ['b'] }, '" "'],
    ['a blank target', { a: [''] }, '""'],
    ['a target that is no text', { a: [1] }, 'of type number'],
    ['a text for an array', { a: 'bc' }, '"a" is no array'],
  ])('of %s is refused', (_, edges, said) => {
    const make = () => stateMachine(edges as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(said);
  });

  test('reaches exactly what walking its steps reaches', () => {
    const state: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.dictionary(state, fc.uniqueArray(state), { minKeys: 1 }), state, (edges, from) => {
        const machine: StateMachine = stateMachine(edges);
        let reached = new Set(edges[from] ?? []);
        for (let walk = 0; walk < 5; walk += 1) {
          reached = new Set([...reached, ...[...reached].flatMap((next) => edges[next] ?? [])]);
        }
        for (const to of ['a', 'b', 'c', 'd', 'e']) expect(machine.reachable(from, to)).toBe(reached.has(to));
        const onCycle = machine.states.some((each) => machine.reachable(each, each));
        expect(machine.hasCycle).toBe(onCycle);
      }),
    );
  });
});

test('its type knows the states by name', () => {
  expectTypeOf(payment).toEqualTypeOf<StateMachine<'authorised' | 'captured' | 'voided' | 'refunded'>>();
  expectTypeOf(payment.predecessors)
    .parameter(0)
    .toEqualTypeOf<'authorised' | 'captured' | 'voided' | 'refunded'>();
  // @ts-expect-error no such state
  expect(payment.predecessors('stolen')).toEqual([]);
});
