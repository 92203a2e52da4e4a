import type { Arrival } from '../arrive/message.ts';
import { toError } from '../errors.ts';
import { inTime } from '../in-time.ts';
import type { Invocation } from '../invocation.ts';
import type { ClaimRow } from '../words.ts';
import { acknowledged, type Ending, returned } from './ending.ts';
import { keepAlive, refOf } from './keep-alive.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { sendRecordedFollowUps } from './recorded-follow-ups.ts';

/**
 * A duplicate of a settled message: what the first left to do is done (its unsent follow-ups), the row is
 * kept alive, and the message is acknowledged with the outcome the first caller got.
 */
export async function answerDuplicate(
  arrival: Arrival,
  invocation: Invocation,
  row: ClaimRow,
): Promise<Ending> {
  const claim = refOf(row);
  if (
    !(await sendRecordedFollowUps(arrival, invocation, claim, row.followUps ?? [], row.followUpsSent ?? 0))
  ) {
    return returned(invocation.backoffMillis(arrival.receives));
  }
  await keepAlive(arrival, invocation, row);
  return shareOutcome(arrival, invocation, outcomeOf(row), row.fence);
}

/** Hands the recorded outcome to the user's hook and acknowledges; a hook that throws returns the message. */
export async function shareOutcome(
  arrival: Arrival,
  invocation: Invocation,
  outcome: Outcome,
  fence?: number,
): Promise<Ending> {
  const about = {
    ...(fence !== undefined ? { fence } : {}),
    ...(outcome.status === 'parked' ? { reason: 'parked' } : {}),
  };
  const { onDuplicate } = invocation.settings.options;
  if (onDuplicate !== undefined && arrival.reading.status === 'message') {
    const { message } = arrival.reading;
    try {
      const told = Promise.resolve(onDuplicate(message, outcome));
      const finished = await inTime(
        told.then(() => true),
        invocation.outOfTime,
        false,
      );
      if (!finished) throw new Error('onDuplicate was still running when the time ran out');
    } catch (thrown) {
      invocation.tell('failed', arrival, { ...about, reason: 'onDuplicate', error: toError(thrown) });
      return returned(invocation.backoffMillis(arrival.receives));
    }
  }
  invocation.tell('duplicate', arrival, about);
  return acknowledged(() => outcome);
}
