import { keyHash } from '../arrive/row-key.ts';
import type { ClaimName } from '../redrive/claim-name.ts';
import { type DeadLetter, firstMessageIdOf, reasonOf } from '../redrive/dead-letter.ts';
import type { ClaimNow } from '../redrive/plan.ts';
import { comesBackAs } from '../redrive/redriven-message.ts';
import { claimWord } from './claim-words.ts';

/** What a list tells of a dead letter. Keys are hashed, as in logs and events. */
export interface DeadLetterView {
  readonly messageId: string;
  readonly firstMessageId: string;
  /** Since it was first sent. */
  readonly ageSeconds: number;
  readonly scope: string | undefined;
  readonly keyHash: string | undefined;
  readonly reason: string;
  readonly attempts: number | undefined;
  readonly claim: string;
  /** As what it comes back when it is redriven. */
  readonly comesBackAs: ReturnType<typeof comesBackAs>;
}

export function viewOf(
  letter: DeadLetter,
  name: ClaimName,
  claim: ClaimNow,
  nowMillis: number,
): DeadLetterView {
  return {
    messageId: letter.messageId,
    firstMessageId: firstMessageIdOf(letter),
    ageSeconds: Math.max(0, Math.round((nowMillis - letter.sentAtMillis) / 1_000)),
    scope: letter.once?.scope,
    keyHash: name.status === 'unknown' ? undefined : keyHash(name.rowKey),
    reason: reasonOf(letter),
    attempts: letter.once?.attempts ?? (claim.status === 'found' ? claim.row.attempts : undefined),
    claim: claimWord(claim, nowMillis),
    comesBackAs: comesBackAs(letter),
  };
}
