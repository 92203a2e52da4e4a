import { keyHash } from '../arrive/row-key.ts';
import { readResult } from '../settle/result.ts';
import type { ClaimRow } from '../words.ts';
import { claimWord } from './claim-words.ts';
import { momentText } from './texts.ts';

/** A claim's row for people, all but what the handler returned and what it sends. */
export function claimFacts(row: ClaimRow, nowMillis: number): Record<string, string | number | undefined> {
  return {
    status: claimWord({ status: 'found', row }, nowMillis),
    'key hash': keyHash(row.claim),
    fence: row.fence,
    attempts: row.attempts,
    'first claimed': momentText(row.firstClaimedAt, nowMillis),
    'last claimed': momentText(row.claimedAt, nowMillis),
    'lease ends': momentText(row.leaseEndsAt, nowMillis),
    settled: momentText(row.settledAt, nowMillis),
    expires: momentText(row.expiresAt * 1_000, nowMillis),
    message: row.messageId,
    reason: row.reason,
    'last error': row.lastError,
    result: resultFact(row),
    'park id': row.parkId,
    'redriven by': row.redrive,
    'effect keys since': momentText(row.effects, nowMillis),
  };
}

/** The same for scripts: the row as it lies in the table, without content. */
export function claimJson(row: ClaimRow): object {
  const { result: _, followUps = [], ...facts } = row;
  return { ...facts, result: resultFact(row), followUps: followUps.length };
}

function resultFact({ status, result }: ClaimRow): string | undefined {
  if (status !== 'completed') return undefined;
  const kept = readResult(result);
  return kept.status === 'kept' ? `kept, ${result?.length ?? 0} characters` : `not kept: ${kept.why}`;
}
