import { expiryOf } from '../claim/claim-arrival.ts';
import { callLimit, type EngineInvocation } from '../invocation.ts';
import type { ClaimRef, ClaimRow, Work } from '../words.ts';

/** A duplicate shows that the work can still come back: a row that is past half its time is kept longer. */
export async function keepAlive(work: Work, invocation: EngineInvocation, row: ClaimRow): Promise<void> {
  const { settings } = invocation;
  const nowMillis = settings.store.ambient.wallMillis();
  const retentionMillis = settings.retentionMillis(work.fifoGroup !== undefined);
  if (row.expiresAt * 1_000 - nowMillis >= retentionMillis / 2) return;
  try {
    await settings.store.extend(refOf(row), expiryOf(work, invocation, nowMillis), callLimit(invocation));
  } catch {
    // The outcome stands and the next duplicate tries again.
  }
}

export function refOf(row: ClaimRow): ClaimRef {
  return { rowKey: row.claim, fence: row.fence, owner: row.owner };
}
