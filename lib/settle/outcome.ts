import type { ClaimRow } from '../words.ts';
import { readResult } from './result.ts';

/** What was recorded for good, as a duplicate gets it. */
export interface Outcome {
  readonly status: 'completed' | 'rejected' | 'parked';
  /** What the handler returned, when it could be kept. */
  readonly result?: unknown;
  /** Why the handler's return value was not kept. */
  readonly notKept?: string;
  /** Why the message was rejected or parked. */
  readonly reason?: string;
}

/** The outcome a settled row tells. */
export function outcomeOf(row: ClaimRow): Outcome {
  const status = row.status === 'rejected' || row.status === 'parked' ? row.status : 'completed';
  const reason = row.reason === undefined ? {} : { reason: row.reason };
  if (status !== 'completed') return { status, ...reason };
  const kept = readResult(row.result);
  return kept.status === 'kept'
    ? { status, result: kept.value, ...reason }
    : { status, notKept: kept.why, ...reason };
}
