import type { Outcome } from './outcome.ts';

/**
 * What becomes of a delivery. Acknowledged: SQS forgets it. Returned: it is listed as failed and comes back,
 * after `visibleInMillis` where that is known, else after the queue's own visibility timeout.
 */
export type Ending =
  | { readonly status: 'acknowledged'; readonly outcome: Outcome }
  | { readonly status: 'returned'; readonly visibleInMillis: number | undefined };

export function acknowledged(outcome: Outcome): Ending {
  return { status: 'acknowledged', outcome };
}

export function returned(visibleInMillis: number | undefined): Ending {
  return { status: 'returned', visibleInMillis };
}
