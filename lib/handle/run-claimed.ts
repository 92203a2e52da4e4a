import type { Claiming } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { FencedOutError } from '../errors.ts';
import { callLimit, type EngineInvocation, leaseMillisNow, needsHeartbeat } from '../invocation.ts';
import type { Work } from '../words.ts';
import type { Attempt, OpenAttempt } from './attempt.ts';
import { type Handled, handled } from './handled.ts';
import { startHeartbeat } from './heartbeat.ts';

/** What came of user code under a claim, or why it did not start. */
export type ClaimedRun =
  | Handled
  /** There is no time left to start; the claim is to be given back. */
  | { readonly status: 'no-room' }
  /** The claim is lost to another attempt. */
  | { readonly status: 'lost' }
  /** The time is up and user code still runs. */
  | { readonly status: 'outlived'; readonly running: Promise<Handled> };

/** Runs user code under a claim: the lease kept alive, and user code told when its time or its claim is gone. */
export async function runClaimed(
  work: Work,
  invocation: EngineInvocation,
  claiming: Claiming,
  claim: Claim,
  attempt: OpenAttempt,
  handler: (attempt: Attempt) => unknown,
): Promise<ClaimedRun> {
  invocation.tell(claim.takenOver ? 'taken-over' : 'claimed', work, attemptOf(claim));
  const lease = await freshLease(invocation, claiming, claim);
  if (lease.status !== 'fresh') return lease;

  const hold = holdClaim(invocation, claim, attempt, lease.leaseMillis);
  invocation.tell('starting', work, attemptOf(claim));
  const running = handled(() => handler(attempt.face));
  const outcome = await Promise.race([
    running,
    invocation.outOfTime.then(() => ({ status: 'outlived', running }) as const),
  ]);
  await hold.letGo();
  return hold.isLost() ? { status: 'lost' } : outcome;
}

export function attemptOf(claim: Claim): { attempt: number; fence: number } {
  return { attempt: claim.row.attempts, fence: claim.fence };
}

type Lease =
  | { readonly status: 'fresh'; readonly leaseMillis: number }
  | { readonly status: 'no-room' | 'lost' };

/**
 * A process may be frozen between its claim and user code, and one of its clocks with it. When by either
 * clock less than half of the lease is left, it is renewed before user code starts, and a refusal means that
 * user code does not start.
 */
async function freshLease(invocation: EngineInvocation, claiming: Claiming, claim: Claim): Promise<Lease> {
  const { store } = invocation.settings;
  const { leaseMillis, askedAtMonotonicMillis } = claiming;
  const leftByWall = (claim.row.leaseEndsAt ?? 0) - store.ambient.wallMillis();
  const leftByMonotonic = leaseMillis - (store.ambient.monotonicMillis() - askedAtMonotonicMillis);
  if (Math.min(leftByWall, leftByMonotonic) >= leaseMillis / 2) return { status: 'fresh', leaseMillis };
  if (!invocation.deadline.hasRoom()) return { status: 'no-room' };
  const renewedMillis = leaseMillisNow(invocation);
  const landing = await store.renew(
    claim,
    Math.ceil(store.ambient.wallMillis() + renewedMillis),
    callLimit(invocation, renewedMillis / 2),
  );
  return landing.status === 'landed' ? { status: 'fresh', leaseMillis: renewedMillis } : { status: 'lost' };
}

interface Hold {
  isLost(): boolean;
  /** Ends timers and the heartbeat; the claim itself stays as it is. */
  letGo(): Promise<void>;
}

function holdClaim(
  invocation: EngineInvocation,
  claim: Claim,
  attempt: OpenAttempt,
  leaseMillis: number,
): Hold {
  const { scope, store } = invocation.settings;
  let lost = false;
  const heartbeat = needsHeartbeat(invocation)
    ? startHeartbeat(store, claim, leaseMillis, (cause) => {
        lost = true;
        attempt.abort(new FencedOutError('the claim is lost', { scope, cause }));
      })
    : undefined;
  const cancelStop = invocation.whenToStop(() => {
    attempt.abort(new FencedOutError("the invocation's time is running out", { scope }));
  });
  return {
    isLost: () => lost,
    async letGo() {
      cancelStop();
      await heartbeat?.stop();
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
