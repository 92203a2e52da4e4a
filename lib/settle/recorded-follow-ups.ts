import type { EngineInvocation } from '../invocation.ts';
import type { ClaimRef, Work } from '../words.ts';
import { persist } from './persist.ts';
import { sendFollowUps } from './send-follow-ups.ts';

/**
 * Sends the follow-ups a row records, from the first that is not out yet, and records how far it came.
 * The answer is whether all of them are out: only then may the work be called done.
 */
export async function sendRecordedFollowUps(
  work: Work,
  invocation: EngineInvocation,
  claim: ClaimRef,
  texts: readonly string[],
  alreadySent: number,
): Promise<boolean> {
  if (texts.length === 0) return true;
  const { store } = invocation.settings;
  invocation.tell('sending', work, { fence: claim.fence });
  const { sent, all, error } = await sendFollowUps(invocation.sqs(), texts, alreadySent, {
    signal: invocation.signal,
    onSent: (index) =>
      invocation.tell('follow-up-sent', work, {
        fence: claim.fence,
        reason: `${index + 1} of ${texts.length}`,
      }),
  });
  if (sent > alreadySent || all) {
    await persist(invocation, (limit) => store.markSent(claim, sent, all, limit));
  }
  if (!all) {
    invocation.tell('failed', work, {
      reason: `follow-ups unsent: ${texts.length - sent} of ${texts.length}`,
      fence: claim.fence,
      ...(error !== undefined ? { error } : {}),
    });
  }
  return all;
}
