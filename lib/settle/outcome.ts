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

/** What a row, or the settlement that was just written to it, tells of an outcome. */
export interface Settled {
  readonly status: ClaimRow['status'];
  readonly result?: string | undefined;
  readonly reason?: string | undefined;
}

/** The outcome a settled row tells. */
export function outcomeOf(settled: Settled): Outcome {
  const status = settled.status === 'rejected' || settled.status === 'parked' ? settled.status : 'completed';
  const reason = settled.reason === undefined ? {} : { reason: settled.reason };
  if (status !== 'completed') return { status, ...reason };
  const kept = readResult(settled.result);
  return kept.status === 'kept'
    ? { status, result: kept.value, ...reason }
    : { status, notKept: kept.why, ...reason };
}
