import type { Arrival } from '../arrive/message.ts';
import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { toError } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import type { ClaimRef, ClaimRow } from '../words.ts';
import { deadLetterMessage, type ParkingStory, parkIdOf } from './dead-letter-message.ts';
import { deadLetterQueueOf, sendToDeadLetterQueue } from './dead-letter-queue.ts';
import { acknowledged, type Ending } from './ending.ts';
import { isHeld } from './hold.ts';
import { refOf } from './keep-alive.ts';
import { keepUnparked, parkFailed, thrownBy, unlanded } from './not-parked.ts';
import { persist } from './persist.ts';
import { lastErrorOf } from './release-claim.ts';

/** Why messages are parked, in words a person filters by. */
export const parkReasons = [
  'unparseable',
  'no-key',
  'key-reused',
  'beyond-retention',
  'poison',
  'attempts-exhausted',
  'last-delivery',
  'abandoned',
  /** A person let a held group go on without it: `claims release --park`. */
  'let-go',
  'effect-key-expired',
  'transaction-impossible',
] as const;

export type ParkReason = (typeof parkReasons)[number];

/**
 * Parks a message: recorded first, then sent, then marked as sent, then acknowledged. A crash between two of
 * these leaves a row that says how far it came, and the redelivery goes on from there.
 */
export async function parkMessage(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  error: unknown,
): Promise<Ending> {
  const { settings } = invocation;
  if (await isHeld(arrival, invocation, claim.previous?.reason)) {
    return keepUnparked(arrival, invocation, claim, reason, error, 'held');
  }
  invocation.tell('parking', arrival, { reason, attempt: claim.row.attempts, fence: claim.fence });
  const deadLetterQueueUrl = await deadLetterQueueOf(arrival, invocation);
  if (deadLetterQueueUrl === undefined) {
    return keepUnparked(arrival, invocation, claim, reason, error, 'no queue');
  }

  const nowMillis = settings.store.ambient.wallMillis();
  const story: ParkingStory = {
    parkId: parkIdOf(arrival.rowKey, arrival.messageId),
    fence: claim.fence,
    reason,
    error,
    attempts: claim.row.attempts,
    firstClaimedAt: claim.row.firstClaimedAt,
    parkedAt: nowMillis,
    effects: claim.row.effects,
  };
  const landing = await persist(invocation, (limit) =>
    settings.store.park(
      claim,
      {
        parkId: story.parkId,
        reason,
        ...lastErrorOf(error),
        settledAt: nowMillis,
        expiresAt: expiryOf(arrival, invocation, nowMillis),
      },
      limit,
    ),
  );
  if (landing.status !== 'landed') return unlanded(arrival, invocation, claim, reason, landing);
  return sendParked(arrival, invocation, claim, story, deadLetterQueueUrl);
}

/** A parking that was recorded and not yet sent: the redelivery sends it, under the same park id. */
export async function resumeParking(
  arrival: Arrival,
  invocation: Invocation,
  row: ClaimRow,
): Promise<Ending> {
  const deadLetterQueueUrl = await deadLetterQueueOf(arrival, invocation);
  if (deadLetterQueueUrl === undefined) {
    return parkFailed(arrival, invocation, row.reason ?? 'parked', undefined);
  }
  const story: ParkingStory = {
    parkId: row.parkId ?? parkIdOf(arrival.rowKey, arrival.messageId),
    fence: row.fence,
    reason: row.reason ?? 'poison',
    error: row.lastError,
    attempts: row.attempts,
    firstClaimedAt: row.firstClaimedAt,
    parkedAt: row.settledAt ?? row.claimedAt,
    effects: row.effects,
  };
  return sendParked(arrival, invocation, refOf(row), story, deadLetterQueueUrl);
}

async function sendParked(
  arrival: Arrival,
  invocation: Invocation,
  claim: ClaimRef,
  story: ParkingStory,
  deadLetterQueueUrl: string,
): Promise<Ending> {
  const { settings } = invocation;
  invocation.tell('sending', arrival, { reason: story.reason });
  try {
    const message = deadLetterMessage(arrival, settings.scope, story, deadLetterQueueUrl);
    await sendToDeadLetterQueue(invocation, message);
  } catch (error) {
    return parkFailed(arrival, invocation, story.reason, toError(error));
  }
  // The queue has the message, so it may be acknowledged even if the table cannot be told any more.
  await persist(invocation, (limit) => settings.store.markParked(claim, limit));
  invocation.tell('parked', arrival, {
    reason: story.reason,
    attempt: story.attempts,
    fence: claim.fence,
    ...thrownBy(story.error),
  });
  return acknowledged(() => ({ status: 'parked', reason: story.reason }));
}
