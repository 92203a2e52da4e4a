import { stateMachine } from '../../lib/handle/state-machine.ts';

export const machine = stateMachine({ authorised: ['captured', 'voided'], captured: ['refunded'] });

/** What happens to a payment; each event is named after the state it leads to. */
export const events = machine.states;
export type PaymentEvent = (typeof events)[number];

/** Whether a payment may have gone through these states. */
export function isAllowed(path: readonly PaymentEvent[]): boolean {
  return path.every((event, step) => {
    const before = path[step - 1];
    return before === undefined ? event === 'authorised' : machine.predecessors(event).includes(before);
  });
}

export function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, place) =>
    permutations(items.toSpliced(place, 1)).map((others) => [item, ...others]),
  );
}
