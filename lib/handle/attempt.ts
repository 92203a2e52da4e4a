import type { Ambient } from '../ambient.ts';
import { endIsUnknown } from '../claim/decide.ts';
import { FencedOutError } from '../errors.ts';
import type { ClaimRow } from '../words.ts';
import { effectKey, ensureEffectKeyAlive } from './effect-key.ts';
import { type AttemptFollowUps, type CollectedFollowUps, createFollowUps } from './follow-ups.ts';
import { type AttemptTransaction, type CollectedTransaction, createTransaction } from './transaction.ts';

/** The attempt before this one. */
export interface PreviousAttempt {
  readonly claimedAt: Date;
  /** Absent when its end is unknown: it crashed, timed out, or still runs without a lease. */
  readonly endedAt?: Date;
  /** What it failed with, as text. */
  readonly error?: string;
}

/** One claimed run of a handler. */
export interface Attempt {
  /** Counts from 1, anew after a redrive. Under `claim: 'with-commit'` the receive count. */
  readonly number: number;
  readonly previousAttempt?: PreviousAttempt;
  /** Whether a failure of this attempt parks the message. */
  readonly isLast: boolean;
  /** Aborted when the invocation's time runs out or the claim is lost. */
  readonly signal: AbortSignal;
  /**
   * A key for one named effect of this message: the same on every attempt, after a redrive and in every
   * process; at most 64 characters of `[A-Za-z0-9_-]`.
   *
   * @param options.lifetimeSeconds how long the provider remembers keys. An attempt that comes later than that after
   * the first one throws `EffectKeyExpiredError` and parks, because the provider would do the effect again.
   * @throws FencedOutError once the attempt was aborted
   */
  effectKey(name: string, options?: { readonly lifetimeSeconds?: number }): string;
  /** Writes that commit together with the outcome, or not at all. */
  readonly transaction: AttemptTransaction;
  /** Messages recorded with the outcome and sent after it. */
  readonly followUps: AttemptFollowUps;
}

/** What an attempt is built from. */
export interface AttemptFacts {
  readonly rowKey: string;
  readonly scope: string;
  readonly number: number;
  readonly isLast: boolean;
  readonly previous: ClaimRow | undefined;
  readonly effects: number | undefined;
  /** Since when effect keys age, epoch milliseconds. */
  readonly bornAtMillis: number;
  readonly claimTable: string | undefined;
}

/** An attempt with its strings attached. */
export interface OpenAttempt {
  readonly face: Attempt;
  readonly transaction: CollectedTransaction;
  readonly followUps: CollectedFollowUps;
  /** Tells the handler to stop; from here on nothing can be collected. */
  abort(reason: Error): void;
}

export function openAttempt(facts: AttemptFacts, ambient: Ambient): OpenAttempt {
  const controller = new AbortController();
  const ensureOpen = () => {
    if (controller.signal.aborted) {
      throw new FencedOutError('the attempt is over: its time ran out or its claim is lost', {
        scope: facts.scope,
        cause: controller.signal.reason,
      });
    }
  };
  const transaction = createTransaction({ claimTable: facts.claimTable, ensureOpen });
  const followUps = createFollowUps({ rowKey: facts.rowKey, ensureOpen });
  const face: Attempt = {
    number: facts.number,
    ...(facts.previous !== undefined ? { previousAttempt: previousAttempt(facts.previous) } : {}),
    isLast: facts.isLast,
    signal: controller.signal,
    transaction: transaction.face,
    followUps: followUps.face,
    effectKey(name, options = {}) {
      ensureOpen();
      const { lifetimeSeconds, ...others } = options;
      refuseOthers(others);
      if (lifetimeSeconds !== undefined) {
        ensureEffectKeyAlive({
          name,
          bornAtMillis: facts.bornAtMillis,
          nowMillis: ambient.wallMillis(),
          lifetimeSeconds,
          scope: facts.scope,
        });
      }
      return effectKey(facts.rowKey, name, facts.effects);
    },
  };
  return { face: Object.freeze(face), transaction, followUps, abort: (reason) => controller.abort(reason) };
}

/** A lifetime that is misspelt must not pass for none: nothing would guard the effect. */
function refuseOthers(others: object): void {
  const [unknown] = Object.keys(others);
  if (unknown === undefined) return;
  throw new TypeError(`effectKey has no option ${JSON.stringify(unknown)}; it has lifetimeSeconds`);
}

function previousAttempt(row: ClaimRow): PreviousAttempt {
  const ended = row.status !== 'leased' && !endIsUnknown(row);
  return {
    claimedAt: new Date(row.claimedAt),
    // Such a row says nothing of its end; the error in it is an older attempt's.
    ...(ended && row.settledAt !== undefined ? { endedAt: new Date(row.settledAt) } : {}),
    ...(ended && row.lastError !== undefined ? { error: row.lastError } : {}),
  };
}
