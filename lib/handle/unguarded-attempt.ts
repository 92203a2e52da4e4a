import { ConfigurationError } from '../errors.ts';
import type { EngineInvocation } from '../invocation.ts';
import type { Attempt } from './attempt.ts';
import { createFollowUps } from './follow-ups.ts';
import { createTransaction } from './transaction.ts';

/**
 * The attempt of a request that is let through without a claim: it is told when the time is up, but there is
 * no outcome its writes could be recorded with.
 */
export function unguardedAttempt(invocation: EngineInvocation): {
  readonly attempt: Attempt;
  /** Ends its timer. */
  close(): void;
} {
  const { scope } = invocation.settings;
  const controller = new AbortController();
  const ensureOpen = () => {
    throw new ConfigurationError(
      "the request is not guarded, so nothing can be collected for its outcome; add its method to methods and require its key, or write without the attempt's help",
      { scope },
    );
  };
  const attempt: Attempt = Object.freeze({
    number: 1,
    isLast: false,
    signal: controller.signal,
    transaction: createTransaction({ claimTable: undefined, ensureOpen }).face,
    followUps: createFollowUps({ rowKey: '', ensureOpen }).face,
    effectKey: ensureOpen,
  });
  return { attempt, close: invocation.whenToStop(() => controller.abort()) };
}
