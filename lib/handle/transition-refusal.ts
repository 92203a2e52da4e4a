import type { StateMachine } from './state-machine.ts';
import { nativeItem } from './transaction-values.ts';

/** A step as it was asked for. */
export interface Step {
  readonly attribute: string;
  readonly machine: StateMachine | undefined;
  readonly from: string | null | undefined;
  readonly to: string;
  readonly early: 'return' | 'reject';
}

/**
 * What a refused transition means. `rejected`: it can never apply any more, or is not meant to. `early`: it may
 * apply once other events have arrived. `astray`: nothing follows from the state that stands there.
 */
export interface Refusal {
  readonly status: 'rejected' | 'early' | 'astray';
  readonly reason: string;
}

/** The states a transition may start from; none means absence. */
export function originsOf({ from, machine, to }: Step): readonly string[] {
  if (from === null) return [];
  return from !== undefined ? [from] : (machine?.predecessors(to) ?? []);
}

/**
 * Reads the item a transition was refused by.
 *
 *   standing          means
 *   `to` itself       late: a duplicate, or another event did it
 *   absent            early, unless absence is what it needed
 *   a state behind    early: the steps between have not happened yet
 *   a state beyond    late: no way leads back
 *   no known state    astray: a newer machine's, or not a state at all
 */
export function refusalOf(step: Step, item: Readonly<Record<string, unknown>> | undefined): Refusal {
  const { attribute, machine, from, to } = step;
  const standing = item === undefined ? undefined : nativeItem(item)[attribute];
  const origins = originsOf(step);
  if (standing === to) return rejected(`late: "${attribute}" is "${to}" already`);
  if (origins.length === 0) return rejected(`late: "${attribute}" is there already`);
  const needed = origins.map((state) => `"${state}"`).join(' or ');
  if (machine === undefined) {
    return rejected(`"${attribute}" is not ${needed}, from which alone it may become "${to}"`);
  }
  if (standing === undefined) return early(step, `"${attribute}" is absent and "${to}" follows ${needed}`);
  if (typeof standing !== 'string' || !machine.has(standing)) {
    return { status: 'astray', reason: `"${attribute}" holds none of the machine's states` };
  }
  return machine.reachable(standing, from ?? to)
    ? early(step, `"${attribute}" is "${standing}" and "${to}" follows ${needed}`)
    : rejected(`late: "${attribute}" is "${standing}", from which "${to}" is out of reach`);
}

function early(step: Step, why: string): Refusal {
  return { status: step.early === 'return' ? 'early' : 'rejected', reason: `early: ${why}` };
}

function rejected(reason: string): Refusal {
  return { status: 'rejected', reason };
}
