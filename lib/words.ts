/**
 * The glossary as types. One word, one meaning: the folders, errors, events and docs use these and no
 * others.
 */

/** Where a row stands in its life. */
export type ClaimStatus = 'leased' | 'released' | 'completed' | 'rejected' | 'parked';

/**
 * The claim row as it lies in the table. Times are epoch milliseconds, except `expiresAt`, which
 * DynamoDB's TTL wants in epoch seconds.
 */
export interface ClaimRow {
  /** Partition key: scope, separator and key; see `arrive/row-key.ts`. */
  readonly claim: string;
  readonly status: ClaimStatus;
  /** Rises by one with each claim and never restarts while the row lives. */
  readonly fence: number;
  /** Random id of one claim. Stays in the row after settle and release, so a late echo is recognised. */
  readonly owner: string;
  /** Runs started since the last redrive or expiry. */
  readonly attempts: number;
  /** Absent or garbled means held, never free. */
  readonly leaseEndsAt?: number;
  /** Epoch seconds. */
  readonly expiresAt: number;
  readonly fingerprint?: string;
  readonly firstClaimedAt: number;
  readonly claimedAt: number;
  /** When the outcome was recorded, or the attempt released. */
  readonly settledAt?: number;
  readonly messageId?: string;
  readonly lastError?: string;
  readonly reason?: string;
  /** The handler's return value as JSON text, or the not-kept marker; see `settle/result.ts`. */
  readonly result?: string;
  /** Follow-ups still to be sent, each as JSON text. */
  readonly followUps?: readonly string[];
  readonly followUpsSent?: number;
  readonly parkId?: string;
  readonly parkSent?: boolean;
  /** The redrive marks honoured last, the newest last; see `claim/marks.ts`. */
  readonly redrive?: string;
  /** Generation of effect keys; absent means 0. */
  readonly effects?: number;
  readonly version: number;
}

/** The form of row this code writes. */
export const rowVersion = 1;

/** A piece of work that has arrived, a message or a request, as far as claiming and settling need to know it. */
export interface Work {
  readonly rowKey: string;
  /** The row key whose hash is the name in logs and events: made only when somebody listens. */
  readonly toldAs: string;
  /** Of this delivery, so not of the work: a redrive and a retried request have another. */
  readonly messageId: string;
  /** The lane in a FIFO queue; undefined elsewhere. */
  readonly fifoGroup: string | undefined;
  /** Where a message came from; a request has no queue. */
  readonly queueArn?: string;
  /** Where the sender's trace goes on, when it sent one. */
  readonly trace?: TraceCarrier | undefined;
}

/** The headers that carry a trace, by their names: W3C's two and AWS's. */
export type TraceCarrier = Readonly<
  Partial<Record<'traceparent' | 'tracestate' | 'x-amzn-trace-id', string>>
>;

/** What a write needs to prove it is still the holder's: it names the row, the fence and the owner. */
export interface ClaimRef {
  readonly rowKey: string;
  readonly fence: number;
  readonly owner: string;
}

/** Whether a conditional write changed the row. `row` is what stood there instead, if anything did. */
export type Landing =
  | { readonly status: 'landed' }
  | { readonly status: 'refused'; readonly row: ClaimRow | undefined };

export const landed = { status: 'landed' } as const satisfies Landing;

/** The reason of a row that a person let go: its next delivery is parked, and does not run. */
export const letGoReason = 'let-go';

/** The reason of a row that was given back unstarted, over an attempt whose end is unknown: so it stays. */
export const endUnknownReason = 'end-unknown';
