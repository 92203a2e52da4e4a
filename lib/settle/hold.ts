import type { Arrival } from '../arrive/message.ts';
import { wishOf } from '../claim/claim-arrival.ts';
import { decide } from '../claim/decide.ts';
import { callLimit, type Invocation } from '../invocation.ts';
import { type ClaimRow, letGoReason } from '../words.ts';
import { isLastDelivery } from './last-delivery.ts';

/** A group that is held asks for its head again this often. */
export const heldMillis = 15 * 60 * 1_000;

/**
 * Whether a message is held for a person instead of being parked, and its FIFO group with it. Not when a
 * person let go of it (`claims release --park`), and not on the last delivery before SQS moves it away: the
 * group goes on then in any case, so the message had better leave with its story.
 */
export async function isHeld(
  arrival: Arrival,
  invocation: Invocation,
  reason: string | undefined,
): Promise<boolean> {
  if (arrival.fifoGroup === undefined || invocation.settings.fifoPoison !== 'hold') return false;
  return reason !== letGoReason && !(await isLastDelivery(arrival, invocation));
}

/**
 * The row of a message that is held, under `with-commit`, where no claim was asked for that could tell: one that
 * came before is looked up.
 */
export async function heldRow(arrival: Arrival, invocation: Invocation): Promise<ClaimRow | undefined> {
  const { store, fifoPoison, maxAttempts } = invocation.settings;
  if (arrival.fifoGroup === undefined || fifoPoison !== 'hold' || arrival.receives === 1) return undefined;
  const row = await store.read(arrival.rowKey, callLimit(invocation));
  const decision = decide(row, wishOf(arrival, invocation, 'run-alone', maxAttempts));
  return decision.status === 'exhausted' ? decision.row : undefined;
}
