import { StoreUnavailableError } from '../errors.ts';
import type { CallLimit, ClaimStore } from '../store/port.ts';
import type { ClaimRef, ClaimRow } from '../words.ts';
import { claimRow, type Terms } from './claim-row.ts';
import { type Decision, decide, endIsUnknown, type Wish } from './decide.ts';

/** A claim that was won. */
export interface Claim extends ClaimRef {
  readonly row: ClaimRow;
  /** The attempt before this one, where there was one and its row still counts. */
  readonly previous: ClaimRow | undefined;
  /** Whether the attempt before left without a word. */
  readonly takenOver: boolean;
  /** Whether the attempts are used up with this one. */
  readonly isLast: boolean;
}

export type Verdict =
  | { readonly status: 'claimed'; readonly claim: Claim }
  | Exclude<Decision, { status: 'free' }>;

/** A row that changes under our eyes this often is fought over; the message goes back to the queue. */
export const mostLooks = 6;

/**
 * Claims a message: presume there is no row, write one, and on refusal let the rule decide on the row that
 * stands there. Each further write is conditional on exactly the row the decision was made on.
 *
 * @param limit for all looks and writes together: the lease counts meanwhile
 */
export async function claimMessage(
  store: ClaimStore,
  rowKey: string,
  wish: Wish,
  terms: Terms,
  limit: CallLimit,
): Promise<Verdict> {
  const { ambient } = store;
  const askedAtMillis = ambient.monotonicMillis();
  const limitLeft = (): CallLimit => ({
    timeoutMillis: limit.timeoutMillis - (ambient.monotonicMillis() - askedAtMillis),
  });
  // A message older than its row may only run when a row vouches for it, so here the row is looked at first.
  let seen = wish.outlivedItsRow ? await store.read(rowKey, limit) : undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    const decision = decide(seen, wish);
    if (decision.status !== 'free') return decision;
    const left = limitLeft();
    if (left.timeoutMillis <= 0) throw new StoreUnavailableError('there was no time left to write the claim');
    const row = claimRow(rowKey, decision, wish, terms);
    const landing = await store.acquire(row, decision.over, left);
    if (landing.status === 'landed') return { status: 'claimed', claim: claimOf(row, decision, wish) };
    seen = landing.row;
  }
  throw new StoreUnavailableError("the claim's row kept changing while it was being claimed");
}

function claimOf(row: ClaimRow, decision: Extract<Decision, { status: 'free' }>, wish: Wish): Claim {
  const { over, taking } = decision;
  return {
    rowKey: row.claim,
    fence: row.fence,
    owner: row.owner,
    row,
    previous: taking === 'expired' || over?.attempts === 0 ? undefined : over,
    isLast: row.attempts >= wish.maxAttempts,
    takenOver: taking !== 'expired' && over !== undefined && (over.status === 'leased' || endIsUnknown(over)),
  };
}
