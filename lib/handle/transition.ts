import type { TransactionWrite } from '../store/writes.ts';
import type { StateMachine } from './state-machine.ts';
import { checkedInput, type NativeAttributes, textOf, writeFrom } from './transaction-input.ts';
import { attributesFrom } from './transaction-values.ts';
import { originsOf, type Refusal, refusalOf, type Step } from './transition-refusal.ts';

interface TransitionTarget {
  /** Name or ARN. */
  readonly TableName: string;
  readonly Key: NativeAttributes;
  /** The attribute that holds the state, a string. */
  readonly attribute: string;
  /** Further attributes set together with the state. */
  readonly set?: NativeAttributes | undefined;
}

/** A step of a state machine. */
export interface MachineTransition<State extends string> extends TransitionTarget {
  readonly machine: StateMachine<State>;
  /**
   * The one state it may come from; `null` creates: the item, or its state, must be absent.
   * @default every state one step before `to`; for an initial state, absence
   */
  readonly from?: NoInfer<State> | null | undefined;
  readonly to: NoInfer<State>;
  /**
   * What becomes of an event whose predecessor has not arrived yet. `return`: back to the queue, and parked at
   * the limit. `reject`: recorded as a no-op. A machine with a cycle must say it, because there an event that
   * comes too late can look like one that comes early.
   * @default 'return'
   */
  readonly early?: 'return' | 'reject' | undefined;
}

/** A step without a machine: from one state, or from absence, to another. Anything else is rejected. */
export interface PlainTransition extends TransitionTarget {
  readonly machine?: undefined;
  /** `null` creates: the item, or its state, must be absent. */
  readonly from: string | null;
  readonly to: string;
}

/** A transition as a write, and how to read its refusal. */
export interface PlannedTransition {
  readonly write: TransactionWrite;
  judge(item: Readonly<Record<string, unknown>> | undefined): Refusal;
}

const known = ['TableName', 'Key', 'attribute', 'machine', 'from', 'to', 'set', 'early'];

/** @throws TypeError for a transition that can never apply, and for one that says too little */
export function plannedTransition(input: unknown): PlannedTransition {
  const given = checkedInput('transition', input, known);
  const step = stepOf(given);
  const origins = originsOf(step);
  const set = Object.entries(setOf(given, step));
  const write = writeFrom(
    'update',
    {
      TableName: given.TableName,
      Key: given.Key,
      UpdateExpression: `SET ${['#state = :to', ...set.map((_, i) => `#set${i} = :set${i}`)].join(', ')}`,
      ConditionExpression:
        origins.length === 0
          ? 'attribute_not_exists(#state)'
          : `#state IN (${origins.map((_, i) => `:from${i}`).join(', ')})`,
      ExpressionAttributeNames: {
        '#state': step.attribute,
        ...Object.fromEntries(set.map(([name], i) => [`#set${i}`, name])),
      },
      ExpressionAttributeValues: {
        ':to': step.to,
        ...Object.fromEntries(origins.map((state, i) => [`:from${i}`, state])),
        ...Object.fromEntries(set.map(([, value], i) => [`:set${i}`, value])),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
    'transition',
  );
  return { write, judge: (item) => refusalOf(step, item) };
}

function stepOf(given: Readonly<Record<string, unknown>>): Step {
  const attribute = attributeOf(given);
  const to = textOf('transition', given, 'to');
  const from = given.from == null ? (given.from as null | undefined) : textOf('transition', given, 'from');
  if (given.machine === undefined) {
    if (from === undefined) {
      throw new TypeError('transaction.transition has no from; give one, or a machine to take it from');
    }
    if (given.early !== undefined) {
      throw new TypeError(
        'transaction.transition has early and no machine; give the machine that tells early from late',
      );
    }
    return { attribute, machine: undefined, from, to, early: 'reject' };
  }
  const machine = machineOf(given.machine);
  for (const state of [to, from]) if (state != null) ensureState(machine, state);
  if (from != null && !machine.predecessors(to).includes(from)) {
    throw new TypeError(
      `transaction.transition: the machine has no step from "${from}" to "${to}"; give one of its own`,
    );
  }
  return { attribute, machine, from, to, early: earlyOf(machine, given.early) };
}

function attributeOf(given: Readonly<Record<string, unknown>>): string {
  const attribute = textOf('transition', given, 'attribute');
  if (Object.hasOwn(given.Key ?? {}, attribute)) {
    throw new TypeError(
      `transaction.transition: attribute is "${attribute}", which is part of the key and can never change; keep the state beside it`,
    );
  }
  return attribute;
}

function machineOf(given: unknown): StateMachine {
  const looks = given as Partial<StateMachine> | null;
  if (typeof looks?.predecessors === 'function' && typeof looks.reachable === 'function') {
    return looks as StateMachine;
  }
  throw new TypeError(
    'transaction.transition: machine is no state machine; give stateMachine({ paid: ["refunded"] })',
  );
}

function ensureState(machine: StateMachine, state: string): void {
  if (machine.has(state)) return;
  throw new TypeError(
    `transaction.transition: the machine has no state "${state}"; it has ${machine.states.join(', ')}`,
  );
}

function earlyOf(machine: StateMachine, early: unknown): 'return' | 'reject' {
  if (early === 'return' || early === 'reject') return early;
  if (early !== undefined)
    throw new TypeError("transaction.transition: early is another value; give 'return' or 'reject'");
  if (!machine.hasCycle) return 'return';
  throw new TypeError(
    "transaction.transition: the machine has a cycle, so an event that comes too late looks like one that comes early; give early: 'return' or 'reject'",
  );
}

function setOf(given: Readonly<Record<string, unknown>>, step: Step): Record<string, unknown> {
  if (given.set === undefined) return {};
  // Its own check first, so that an error names the attribute and not a placeholder.
  const names = Object.keys(attributesFrom(given.set, 'transaction.transition: set'));
  const twice = names.find((name) => name === step.attribute || Object.hasOwn(given.Key ?? {}, name));
  if (twice !== undefined) {
    throw new TypeError(
      `transaction.transition: set has "${twice}", which is the state or part of the key; leave it out`,
    );
  }
  const set = given.set as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, set[name]]));
}
