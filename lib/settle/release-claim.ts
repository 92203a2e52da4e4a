import { expiryOf } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import type { EngineInvocation } from '../invocation.ts';
import { isOwnSettle } from '../store/settle.ts';
import { type ClaimRow, endUnknownReason, type Work } from '../words.ts';
import { errorSummary } from './error-summary.ts';
import { persist, type Unavailable } from './persist.ts';

/** How giving a claim back ended. */
export type Released =
  | { readonly status: 'released' }
  /** A commit whose reply was lost had landed after all: the work is done, and this is its duplicate. */
  | { readonly status: 'settled'; readonly row: ClaimRow }
  | { readonly status: 'fenced-out' }
  /** The table cannot be told; the claim lapses. */
  | Unavailable;

/** Why a claim is given back, and whether its attempt counts. */
export interface GivingBack {
  readonly counts: boolean;
  /** User code did not start: the attempt before it is the last one, and its end stays as unknown as it was. */
  readonly nothingRan?: true;
  readonly error?: unknown;
}

/** Gives a claim back for another attempt. */
export async function releaseClaim(
  work: Work,
  invocation: EngineInvocation,
  claim: Claim,
  { counts, nothingRan, error }: GivingBack,
): Promise<Released> {
  const { store } = invocation.settings;
  const nowMillis = store.ambient.wallMillis();
  const landing = await persist(invocation, (limit) =>
    store.release(
      claim,
      {
        attempts: claim.row.attempts - (counts ? 0 : 1),
        ...(counts ? lastErrorOf(error) : {}),
        ...(nothingRan && claim.takenOver ? { reason: endUnknownReason } : {}),
        settledAt: nowMillis,
        expiresAt: expiryOf(work, invocation, nowMillis),
      },
      limit,
    ),
  );
  if (landing.status === 'landed') return { status: 'released' };
  if (landing.status === 'unavailable') return landing;
  return landing.row !== undefined && isOwnSettle(claim, landing.row)
    ? { status: 'settled', row: landing.row }
    : { status: 'fenced-out' };
}

/** What a failure leaves in the row, for people: never a body, never a parser's text. */
export function lastErrorOf(error: unknown): { lastError?: string } {
  if (error === undefined) return {};
  const { name, message } = errorSummary(error);
  return { lastError: typeof error === 'string' ? message : `${name}: ${message}` };
}
