import type { Outcome } from './outcome.ts';

/**
 * What becomes of a delivery. Acknowledged: SQS forgets it. Returned: it is listed as failed and comes back,
 * after `visibleInMillis` where that is known, else after the queue's own visibility timeout.
 */
export type Ending =
  | {
      readonly status: 'acknowledged';
      /** Read when a duplicate in the same event asks for it: most have none. */
      readonly outcome: () => Outcome;
      /** The table does not know the outcome: the message must not come back. */
      readonly unrecorded?: true;
    }
  | { readonly status: 'returned'; readonly visibleInMillis: number | undefined };

export function acknowledged(outcome: () => Outcome): Ending {
  return { status: 'acknowledged', outcome };
}

export function acknowledgedUnrecorded(outcome: () => Outcome): Ending {
  return { status: 'acknowledged', outcome, unrecorded: true };
}

export function returned(visibleInMillis: number | undefined): Ending {
  return { status: 'returned', visibleInMillis };
}
