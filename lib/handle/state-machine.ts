import { ConfigurationError } from '../errors.ts';

/** The states of a thing and the steps allowed between them. Frozen; made by {@link stateMachine}. */
export interface StateMachine<State extends string = string> {
  /** Every state, in the order they were named. */
  readonly states: readonly State[];
  /** Whether some state can be reached again after it was left. */
  readonly hasCycle: boolean;
  /** Whether a text names a state of this machine. */
  has(text: string): text is State;
  /** The states one step before `state`. None means that it is an initial one: it comes from absence. */
  predecessors(state: State): readonly State[];
  /** Whether one step or more lead from `from` to `to`. */
  reachable(from: State, to: State): boolean;
}

type Edges = Readonly<Record<string, readonly string[]>>;

/**
 * Describes which state may follow which. A state that is only a target is a final one.
 *
 * @throws ConfigurationError when there is no state, or one without a name.
 * @example
 * ```ts
 * const payment = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });
 * payment.reachable('authorised', 'refunded'); // true
 * payment.hasCycle; // false
 * ```
 */
export function stateMachine<const Given extends Edges>(
  edges: Given,
): StateMachine<(keyof Given & string) | Given[keyof Given][number]> {
  const nextOf = checkedEdges(edges);
  const reachableFrom = new Map([...nextOf.keys()].map((state) => [state, closure(nextOf, state)]));
  const predecessorsOf = new Map([...nextOf.keys()].map((state) => [state, before(nextOf, state)]));
  const machine: StateMachine = {
    states: Object.freeze([...nextOf.keys()]),
    hasCycle: [...reachableFrom].some(([state, reached]) => reached.has(state)),
    has: (text): text is string => nextOf.has(text),
    predecessors: (state) => predecessorsOf.get(state) ?? [],
    reachable: (from, to) => reachableFrom.get(from)?.has(to) ?? false,
  };
  return Object.freeze(machine);
}

function checkedEdges(edges: Edges): ReadonlyMap<string, ReadonlySet<string>> {
  if (typeof edges !== 'object' || edges === null || Object.keys(edges).length === 0) {
    throw new ConfigurationError('a state machine was given no states; give { paid: ["refunded"] }');
  }
  const nextOf = new Map<string, Set<string>>();
  for (const [state, targets] of Object.entries(edges)) {
    if (!Array.isArray(targets)) {
      throw new ConfigurationError(`what follows state "${state}" is no array; give the names of the states`);
    }
    for (const name of [state, ...targets]) nextOf.set(checkedName(name), nextOf.get(name) ?? new Set());
    for (const target of targets) nextOf.get(state)?.add(target);
  }
  return nextOf;
}

function checkedName(name: unknown): string {
  if (typeof name === 'string' && name.trim() !== '') return name;
  const got = typeof name === 'string' ? JSON.stringify(name) : `of type ${typeof name}`;
  throw new ConfigurationError(`the name of a state is ${got}; give a text that is not blank`);
}

function closure(nextOf: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const ahead = [...(nextOf.get(from) ?? [])];
  for (let state = ahead.pop(); state !== undefined; state = ahead.pop()) {
    if (reached.has(state)) continue;
    reached.add(state);
    ahead.push(...(nextOf.get(state) ?? []));
  }
  return reached;
}

function before(nextOf: ReadonlyMap<string, ReadonlySet<string>>, to: string): readonly string[] {
  return Object.freeze([...nextOf].filter(([, next]) => next.has(to)).map(([state]) => state));
}
