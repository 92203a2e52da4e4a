import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Ambient } from '../ambient.ts';
import type { ClaimRef, ClaimRow, Landing } from '../words.ts';
import type { TransactionWrite } from './writes.ts';

/** What a settle records. */
export interface Settlement {
  readonly status: 'completed' | 'rejected';
  /** The result as JSON text, or the not-kept marker. */
  readonly result?: string | undefined;
  readonly reason?: string;
  readonly followUps?: readonly string[];
  readonly settledAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** What a release leaves behind for the next attempt. */
export interface Release {
  /** Attempts that count from now on: the claim's own number, or one less when the attempt is given back. */
  readonly attempts: number;
  readonly lastError?: string;
  /** Why the message waits for a person, under `fifoPoison: 'hold'`. */
  readonly reason?: string;
  readonly settledAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** What a parking records before the message is sent. */
export interface Parking {
  readonly parkId: string;
  readonly reason: string;
  readonly lastError?: string;
  readonly settledAt: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * How a transaction ended. `rejected` names the user's own writes whose condition failed, by their place
 * in the user's list, with the old item where it was asked for.
 */
export type CommitLanding =
  | Landing
  | { readonly status: 'rejected'; readonly failures: readonly [RejectedWrite, ...RejectedWrite[]] }
  | { readonly status: 'impossible'; readonly cause: unknown };

export interface RejectedWrite {
  readonly index: number;
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

/** How long a call may take, with whatever it has to ask or try again meanwhile. */
export interface CallLimit {
  /** Milliseconds until the call gives up and throws `StoreUnavailableError`. */
  readonly timeoutMillis: number;
}

/**
 * Where claims live: the row's life, one conditional write each. Two stores keep these laws, DynamoDB's
 * and the one in memory, and one contract suite holds both to them.
 *
 * - A write either changes the row or is refused and tells what stands there. It never does half.
 * - `acquire` and `commit` write a row where none is, or over exactly the row `over` that was seen: its fence
 *   and owner, and still free by the rule (see `lease.ts`) when the write lands. Two callers never both land.
 * - Every other write names the fence and owner of the claim and lands only on a row that still has both.
 * - A copy that the network delivers again, however late, changes nothing: no lease, expiry or count goes back.
 * - A write of ours that landed though its reply was lost counts as landed when the retry is refused.
 * - A call that could not be made throws `StoreUnavailableError`; one that can never work (rights, a missing
 *   table, another key schema) throws `ConfigurationError`.
 */
export interface ClaimStore {
  /** Time and chance as this store's user sees them. */
  readonly ambient: Ambient;
  /** The table, where there is one: writes to it are refused inside an attempt's transaction. */
  readonly tableName: string | undefined;
  /** The queues beside it, where they are not AWS's: a consumer without the option `sqs` talks to these. */
  readonly sqs?: Pick<SQSClient, 'send'>;
  /** Takes the claim. */
  acquire(row: ClaimRow, over: ClaimRow | undefined, limit: CallLimit): Promise<Landing>;
  /** Takes and settles the claim in one transaction with the user's writes (`claim: 'with-commit'`). */
  commit(
    row: ClaimRow,
    over: ClaimRow | undefined,
    writes: readonly TransactionWrite[],
    limit: CallLimit,
  ): Promise<CommitLanding>;
  /** Moves the lease's end, never back. */
  renew(claim: ClaimRef, leaseEndsAt: number, limit: CallLimit): Promise<Landing>;
  /** Records the outcome, together with the user's writes when there are any. */
  settle(
    claim: ClaimRef,
    settlement: Settlement,
    writes: readonly TransactionWrite[],
    limit: CallLimit,
  ): Promise<CommitLanding>;
  /** Gives the claim back for another attempt. */
  release(claim: ClaimRef, release: Release, limit: CallLimit): Promise<Landing>;
  /** Records that the message is parked, before it is sent to the dead-letter queue. */
  park(claim: ClaimRef, parking: Parking, limit: CallLimit): Promise<Landing>;
  /** Records that the dead-letter queue has the parked message. */
  markParked(claim: ClaimRef, limit: CallLimit): Promise<Landing>;
  /** Records how many follow-ups are out; all of them sent removes them from the row. */
  markSent(claim: ClaimRef, sent: number, all: boolean, limit: CallLimit): Promise<Landing>;
  /** Keeps a settled row longer, never shorter. */
  extend(claim: ClaimRef, expiresAtEpochSeconds: number, limit: CallLimit): Promise<Landing>;
  /** Lets go of the row that was seen, for a person: the fence rises, attempts restart, nothing is deleted. */
  reopen(seen: ClaimRow, owner: string, nowMillis: number, limit: CallLimit): Promise<Landing>;
  /** Lets a held row go for a person: the fence rises, and its next delivery is parked. */
  letGo(seen: ClaimRow, owner: string, nowMillis: number, limit: CallLimit): Promise<Landing>;
  read(rowKey: string, limit: CallLimit): Promise<ClaimRow | undefined>;
}
