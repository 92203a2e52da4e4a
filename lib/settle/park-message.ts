import { SendMessageCommand, type SendMessageCommandOutput } from '@aws-sdk/client-sqs';
import type { Arrival } from '../arrive/message.ts';
import type { Claim } from '../claim/claim-message.ts';
import { errorSummary } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { expiryEpochSeconds } from '../lease.ts';
import type { ClaimRef, ClaimRow } from '../words.ts';
import { deadLetterMessage, type ParkingStory, parkIdOf } from './dead-letter-message.ts';
import { acknowledged, type Ending, returned } from './ending.ts';
import { persist } from './persist.ts';

/** A group that is held asks for its head again this often. */
export const heldMillis = 15 * 60 * 1_000;

/** Why a message is parked, in words a person filters by. */
export type ParkReason =
  | 'unparseable'
  | 'no-key'
  | 'key-reused'
  | 'beyond-retention'
  | 'poison'
  | 'attempts-exhausted'
  | 'last-delivery'
  | 'abandoned'
  | 'effect-key-expired'
  | 'transaction-impossible';

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
  if (arrival.fifoGroup !== undefined && settings.fifoPoison === 'hold') {
    return holdMessage(arrival, invocation, claim, reason, error);
  }
  invocation.tell('parking', arrival, { reason, attempt: claim.row.attempts, fence: claim.fence });
  const deadLetterQueueUrl = await invocation.queueOf(arrival.record.eventSourceARN).deadLetterQueueUrl();
  if (deadLetterQueueUrl === undefined) return leaveToSqs(arrival, invocation, claim, reason, error);

  const nowMillis = settings.store.ambient.wallMillis();
  const story: ParkingStory = {
    parkId: parkIdOf(arrival.rowKey, arrival.messageId),
    reason,
    error,
    attempts: claim.row.attempts,
    firstClaimedAt: claim.row.firstClaimedAt,
    parkedAt: nowMillis,
  };
  const landing = await persist(invocation, (limit) =>
    settings.store.park(
      claim,
      {
        parkId: story.parkId,
        reason,
        ...lastErrorOf(error),
        settledAt: nowMillis,
        expiresAt: expiryEpochSeconds(nowMillis, settings.retentionMillis(arrival.fifoGroup !== undefined)),
      },
      limit,
    ),
  );
  if (landing.status === 'refused') return fencedOut(arrival, invocation, claim);
  if (landing.status === 'unavailable') return parkFailed(arrival, invocation, reason, landing.error);
  return sendParked(arrival, invocation, claim, story, deadLetterQueueUrl);
}

/** A parking that was recorded and not yet sent: the redelivery sends it, under the same park id. */
export async function resumeParking(
  arrival: Arrival,
  invocation: Invocation,
  row: ClaimRow,
): Promise<Ending> {
  const deadLetterQueueUrl = await invocation.queueOf(arrival.record.eventSourceARN).deadLetterQueueUrl();
  if (deadLetterQueueUrl === undefined) {
    return parkFailed(arrival, invocation, row.reason ?? 'parked', undefined);
  }
  const story: ParkingStory = {
    parkId: row.parkId ?? parkIdOf(arrival.rowKey, arrival.messageId),
    reason: row.reason ?? 'poison',
    error: row.lastError,
    attempts: row.attempts,
    firstClaimedAt: row.firstClaimedAt,
    parkedAt: row.settledAt ?? row.claimedAt,
  };
  return sendParked(
    arrival,
    invocation,
    { rowKey: row.claim, fence: row.fence, owner: row.owner },
    story,
    deadLetterQueueUrl,
  );
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
    const answer: SendMessageCommandOutput = await invocation
      .sqs()
      .send(new SendMessageCommand(deadLetterMessage(arrival, settings.scope, story, deadLetterQueueUrl)), {
        abortSignal: invocation.signal,
      });
    if (answer?.MessageId === undefined)
      throw new Error('the dead-letter queue answered without a message id');
  } catch (error) {
    return parkFailed(arrival, invocation, story.reason, error as Error);
  }
  // The queue has the message, so it may be acknowledged even if the table cannot be told any more.
  await persist(invocation, (limit) => settings.store.markParked(claim, limit));
  invocation.tell('parked', arrival, {
    reason: story.reason,
    attempt: story.attempts,
    fence: claim.fence,
    ...(story.error instanceof Error ? { error: story.error } : {}),
  });
  return acknowledged({ status: 'parked', reason: story.reason });
}

/** Without a dead-letter queue the message is left to the queue's own redrive policy. */
async function leaveToSqs(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  error: unknown,
): Promise<Ending> {
  const landing = await giveBack(arrival, invocation, claim, reason, error);
  if (landing.status === 'refused') return fencedOut(arrival, invocation, claim);
  return parkFailed(
    arrival,
    invocation,
    `${reason}: no dead-letter queue is known`,
    error instanceof Error ? error : undefined,
  );
}

/** `fifoPoison: 'hold'`: the group waits for a person, who lets it go with `sqs-once claims release`. */
async function holdMessage(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  error: unknown,
): Promise<Ending> {
  const landing = await giveBack(arrival, invocation, claim, reason, error);
  if (landing.status === 'refused') return fencedOut(arrival, invocation, claim);
  invocation.tell('failed', arrival, {
    reason: `held: ${reason}`,
    attempt: claim.row.attempts,
    fence: claim.fence,
    ...(error instanceof Error ? { error } : {}),
  });
  return returned(heldMillis);
}

function giveBack(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  reason: ParkReason,
  error: unknown,
) {
  const { settings } = invocation;
  const nowMillis = settings.store.ambient.wallMillis();
  return persist(invocation, (limit) =>
    settings.store.release(
      claim,
      {
        // No attempts are left, so the message is asked about again but never run.
        attempts: Math.max(claim.row.attempts, settings.maxAttempts),
        reason,
        ...lastErrorOf(error),
        settledAt: nowMillis,
        expiresAt: expiryEpochSeconds(nowMillis, settings.retentionMillis(arrival.fifoGroup !== undefined)),
      },
      limit,
    ),
  );
}

function parkFailed(
  arrival: Arrival,
  invocation: Invocation,
  reason: string,
  error: Error | undefined,
): Ending {
  invocation.tell('park-failed', arrival, { reason, ...(error !== undefined ? { error } : {}) });
  return returned(invocation.backoffMillis(arrival.receives));
}

/** Another attempt has the claim: nothing more is written, sent or made visible by this one. */
export function fencedOut(arrival: Arrival, invocation: Invocation, claim: Claim): Ending {
  invocation.tell('fenced-out', arrival, { attempt: claim.row.attempts, fence: claim.fence });
  return returned(undefined);
}

/** What a failure leaves in the row, for people: never a body, never a parser's text. */
export function lastErrorOf(error: unknown): { lastError?: string } {
  if (error === undefined) return {};
  const { name, message } = errorSummary(error);
  return { lastError: typeof error === 'string' ? message : `${name}: ${message}` };
}
