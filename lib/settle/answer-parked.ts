import type { Arrival } from '../arrive/message.ts';
import type { Invocation } from '../invocation.ts';
import type { ClaimRow } from '../words.ts';
import { shareOutcome } from './answer-duplicate.ts';
import { type Ending, returned } from './ending.ts';
import { keepAlive } from './keep-alive.ts';
import { outcomeOf } from './outcome.ts';
import { resumeParking } from './park-message.ts';

/** A late redelivery of a parked message: sent if that is still to do, then acknowledged. */
export async function answerParked(arrival: Arrival, invocation: Invocation, row: ClaimRow): Promise<Ending> {
  if (row.parkSent !== true) {
    // Only the delivery that was parked may be acknowledged for it; another copy waits until it is sent.
    if (row.messageId === arrival.messageId) return resumeParking(arrival, invocation, row);
    invocation.tell('unstarted', arrival, { reason: 'parking' });
    return returned(invocation.backoffMillis(arrival.receives));
  }
  await keepAlive(arrival, invocation, row);
  return shareOutcome(arrival, invocation, outcomeOf(row), row.fence);
}
