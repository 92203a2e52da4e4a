import type { Claiming } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { FencedOutError, isNamed } from '../errors.ts';
import { inTime } from '../in-time.ts';
import { callLimit, type EngineInvocation, leaseMillisNow, needsHeartbeat } from '../invocation.ts';
import type { Work } from '../words.ts';
import type { Attempt, OpenAttempt } from './attempt.ts';
import { type Handled, handled } from './handled.ts';
import { type Lease, startHeartbeat } from './heartbeat.ts';

/** What came of user code under a claim, or why it did not start. */
export type ClaimedRun =
  | Handled
  /** There is no time left to start; the claim is to be given back. */
  | { readonly status: 'no-room' }
  /** The table could not be asked whether the claim still is ours; it is to be given back. */
  | { readonly status: 'unsure'; readonly error: Error }
  /** The claim is lost to another attempt. */
  | { readonly status: 'lost' }
  /** The time is up and user code still runs. */
  | { readonly status: 'outlived'; readonly running: Promise<Handled> };

/**
 * Runs user code under a claim, tells it when its time or its claim is gone, and has `conclude` settle what
 * came of it. The lease is kept alive until that is done: a table that is slow to take the outcome does not
 * give the work to another attempt meanwhile.
 */
export async function runClaimed<Conclusion>(
  work: Work,
  invocation: EngineInvocation,
  claiming: Claiming,
  claim: Claim,
  attempt: OpenAttempt,
  handler: (attempt: Attempt) => unknown,
  conclude: (run: ClaimedRun) => Promise<Conclusion>,
): Promise<Conclusion> {
  invocation.tell(claim.takenOver ? 'taken-over' : 'claimed', work, attemptOf(claim));
  const lease = await freshLease(invocation, claiming, claim);
  if (lease.status !== 'fresh') return conclude(lease);

  const hold = holdClaim(invocation, claim, attempt, lease);
  invocation.tell('starting', work, attemptOf(claim));
  const running = handled(() => handler(attempt.face));
  const run = await inTime(running, invocation.outOfTime, { status: 'outlived', running } as const);
  hold.leaveUserCode();
  try {
    return await conclude(hold.isLost() ? { status: 'lost' } : run);
  } finally {
    await hold.letGo();
  }
}

export function attemptOf(claim: Claim): { attempt: number; fence: number } {
  return { attempt: claim.row.attempts, fence: claim.fence };
}

type FreshLease =
  | ({ readonly status: 'fresh' } & Lease)
  | Extract<ClaimedRun, { status: 'no-room' | 'unsure' | 'lost' }>;

/**
 * A process may be frozen between its claim and user code, or while it renews, and one of its clocks with it.
 * As long as by either clock less than half of the lease is left, it is renewed before user code starts, and a
 * refusal means that user code does not start.
 */
async function freshLease(
  invocation: EngineInvocation,
  claiming: Claiming,
  claim: Claim,
): Promise<FreshLease> {
  const { ambient } = invocation.settings.store;
  let { leaseMillis, askedAtMonotonicMillis } = claiming;
  let leaseEndsAt = claim.row.leaseEndsAt ?? 0;
  for (;;) {
    // The claim, or a renewal, may have taken long: what could only be aborted does not start.
    if (!invocation.deadline.hasRoom()) return { status: 'no-room' };
    const leftByWall = leaseEndsAt - ambient.wallMillis();
    const leftByMonotonic = leaseMillis - (ambient.monotonicMillis() - askedAtMonotonicMillis);
    if (Math.min(leftByWall, leftByMonotonic) >= leaseMillis / 2) {
      return { status: 'fresh', leaseMillis, leaseEndsAt };
    }
    leaseMillis = leaseMillisNow(invocation);
    askedAtMonotonicMillis = ambient.monotonicMillis();
    leaseEndsAt = Math.ceil(ambient.wallMillis() + leaseMillis);
    const refused = await renewed(invocation, claim, { leaseMillis, leaseEndsAt });
    if (refused !== undefined) return refused;
  }
}

/** Renews the lease once. A table that does not answer leaves the claim in doubt; what can never work throws. */
async function renewed(
  invocation: EngineInvocation,
  claim: Claim,
  { leaseMillis, leaseEndsAt }: Lease,
): Promise<Extract<ClaimedRun, { status: 'unsure' | 'lost' }> | undefined> {
  try {
    const limit = callLimit(invocation, leaseMillis / 2);
    const landing = await invocation.settings.store.renew(claim, leaseEndsAt, limit);
    return landing.status === 'landed' ? undefined : { status: 'lost' };
  } catch (error) {
    if (!isNamed(error, 'StoreUnavailableError')) throw error;
    return { status: 'unsure', error: error as Error };
  }
}

interface Hold {
  /** Whether another attempt is known to have the claim. */
  isLost(): boolean;
  /** User code is over or left behind: nobody is there to be told any more. */
  leaveUserCode(): void;
  /** Ends the heartbeat; the claim itself stays as it is. */
  letGo(): Promise<void>;
}

function holdClaim(invocation: EngineInvocation, claim: Claim, attempt: OpenAttempt, lease: Lease): Hold {
  const { scope, store } = invocation.settings;
  let lost = false;
  let inUserCode = true;
  const heartbeat = needsHeartbeat(invocation)
    ? startHeartbeat(store, claim, lease, (why, cause) => {
        if (!inUserCode) return;
        // After a lapse the table decides: an outcome lands if nobody has taken the claim.
        lost = why === 'taken';
        attempt.abort(new FencedOutError(`the claim is ${why}`, { scope, cause }));
      })
    : undefined;
  const cancelStop = invocation.whenToStop(() => {
    attempt.abort(new FencedOutError("the invocation's time is running out", { scope }));
  });
  return {
    isLost: () => lost,
    leaveUserCode() {
      inUserCode = false;
      cancelStop();
    },
    async letGo() {
      if (heartbeat !== undefined) await inTime(heartbeat.stop(), invocation.outOfTime, undefined);
    },
  };
}

/**
 * User code that ignored its signal keeps its claim: nobody else may run beside it before the lease is over.
 * It can no longer collect anything; should it return after all with nothing collected, `settle` records it,
 * so that the work is not done twice.
 */
export function leaveBehind(
  invocation: EngineInvocation,
  attempt: OpenAttempt,
  running: Promise<Handled>,
  settle: (value: unknown) => Promise<unknown>,
): FencedOutError {
  const error = new FencedOutError('the handler was still running when the time ran out', {
    scope: invocation.settings.scope,
  });
  attempt.abort(error);
  const collected = attempt.transaction.freeze().length + attempt.followUps.freeze().length;
  if (collected === 0) {
    void running
      .then(async (late) => {
        if (late.status === 'returned') await settle(late.value);
      })
      .catch(() => {
        // The claim lapses and the next attempt sees that this one's end is unknown.
      });
  }
  return error;
}
