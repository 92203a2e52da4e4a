import type { Arrival } from '../arrive/message.ts';
import type { Claim } from '../claim/claim-message.ts';
import { isNamed } from '../errors.ts';
import type { OpenAttempt } from '../handle/attempt.ts';
import { OutOfTurn, unknownValue } from '../handle/handled.ts';
import type { Invocation } from '../invocation.ts';
import { acknowledged, acknowledgedUnrecorded, type Ending, returned } from './ending.ts';
import { failAttempt, giveBackBlameless, giveBackUnstarted } from './fail-attempt.ts';
import { fencedOut } from './not-parked.ts';
import { outcomeOf } from './outcome.ts';
import { parkMessage } from './park-message.ts';
import { recordOutcome } from './record-outcome.ts';
import { keepResult, notKept } from './result.ts';

/** Records what a message's handler returned, and says what becomes of the delivery. */
export async function settleAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  attempt: OpenAttempt,
  returnedValue: unknown,
): Promise<Ending> {
  const isOutOfTurn = returnedValue instanceof OutOfTurn;
  if (isOutOfTurn && attempt.transaction.size + attempt.followUps.size > 0) {
    return giveBackUnstarted(arrival, invocation, claim);
  }
  const value = isOutOfTurn ? returnedValue.value : returnedValue;
  const recorded = await recordOutcome(arrival, invocation, claim, attempt, {
    completed:
      value === unknownValue ? notKept('the handler answered for the whole event') : keepResult(value),
    rejected: undefined,
  });
  switch (recorded.status) {
    case 'completed':
      if (!recorded.followUpsOut) return returned(invocation.backoffMillis(claim.row.attempts));
      return acknowledged(() => outcomeOf(recorded.settlement));
    case 'unrecorded':
      // Running it again would do the work twice, so the message is acknowledged and the claim stays.
      return acknowledgedUnrecorded(() => outcomeOf(recorded.settlement));
    case 'rejected':
      return acknowledged(() => ({ status: 'rejected', reason: recorded.reason }));
    case 'failed':
      return failAttempt(arrival, invocation, claim, recorded.error);
    case 'uncommitted':
      if (!isNamed(recorded.error, 'ConfigurationError')) {
        return failAttempt(arrival, invocation, claim, recorded.error);
      }
      invocation.doom(recorded.error);
      return giveBackBlameless(arrival, invocation, claim, recorded.error);
    case 'impossible':
      return parkMessage(arrival, invocation, claim, 'transaction-impossible', recorded.cause);
    case 'fenced-out':
      return fencedOut(arrival, invocation, claim);
    default:
      return recorded satisfies never;
  }
}
