import type { Arrival } from '../arrive/message.ts';
import type { Claiming } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import { FencedOutError } from '../errors.ts';
import { callLimit, type Invocation, leaseMillisNow, needsHeartbeat } from '../invocation.ts';
import { skewMillis } from '../lease.ts';
import type { MessageHandler } from '../options.ts';
import { type Ending, returned } from '../settle/ending.ts';
import { failAttempt, giveBackUnstarted } from '../settle/fail-attempt.ts';
import { fencedOut } from '../settle/park-message.ts';
import { settleAttempt } from '../settle/settle-attempt.ts';
import { type AttemptFacts, type OpenAttempt, openAttempt } from './attempt.ts';
import { type Handled, handled, notStarted } from './handled.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Runs user code under a claim and settles what came of it. */
export async function runAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claiming: Claiming,
  claim: Claim,
  handler: MessageHandler<unknown>,
): Promise<Ending> {
  if (arrival.reading.status !== 'message') throw new TypeError('only a message can be run');
  const { message } = arrival.reading;
  invocation.tell(claim.takenOver ? 'taken-over' : 'claimed', arrival, attemptOf(claim));
  const lease = await freshLease(arrival, invocation, claiming, claim);
  if (lease.status === 'ended') return lease.ending;

  const hold = holdClaim(arrival, invocation, claim, lease.leaseMillis);
  invocation.tell('starting', arrival, attemptOf(claim));
  const running = handled(() => handler(message, hold.attempt.face));
  const outcome = await Promise.race([running, invocation.outOfTime.then(() => outlived)]);
  await hold.letGo();

  if (hold.isLost()) return fencedOut(arrival, invocation, claim);
  switch (outcome.status) {
    case 'returned':
      return settleAttempt(arrival, invocation, claim, hold.attempt, outcome.value);
    case 'threw':
      if (outcome.error === notStarted) return giveBackUnstarted(arrival, invocation, claim);
      return failAttempt(arrival, invocation, claim, outcome.error);
    case 'outlived':
      return leaveBehind(arrival, invocation, claim, hold.attempt, running);
    default:
      return outcome satisfies never;
  }
}

const outlived = { status: 'outlived' } as const;

export function attemptOf(claim: Claim): { attempt: number; fence: number } {
  return { attempt: claim.row.attempts, fence: claim.fence };
}

type Lease =
  | { readonly status: 'fresh'; readonly leaseMillis: number }
  | { readonly status: 'ended'; readonly ending: Ending };

/**
 * A process may be frozen between its claim and user code, and one of its clocks with it. When by either
 * clock less than half of the lease is left, it is renewed before user code starts, and a refusal means that
 * user code does not start.
 */
async function freshLease(
  arrival: Arrival,
  invocation: Invocation,
  claiming: Claiming,
  claim: Claim,
): Promise<Lease> {
  const { store } = invocation.settings;
  const { leaseMillis, askedAtMonotonicMillis } = claiming;
  const leftByWall = (claim.row.leaseEndsAt ?? 0) - store.ambient.wallMillis();
  const leftByMonotonic = leaseMillis - (store.ambient.monotonicMillis() - askedAtMonotonicMillis);
  if (Math.min(leftByWall, leftByMonotonic) >= leaseMillis / 2) return { status: 'fresh', leaseMillis };
  if (!invocation.deadline.hasRoom()) {
    return { status: 'ended', ending: await giveBackUnstarted(arrival, invocation, claim) };
  }
  const renewedMillis = leaseMillisNow(invocation);
  const landing = await store.renew(
    claim,
    Math.ceil(store.ambient.wallMillis() + renewedMillis),
    callLimit(invocation, renewedMillis / 2),
  );
  return landing.status === 'landed'
    ? { status: 'fresh', leaseMillis: renewedMillis }
    : { status: 'ended', ending: fencedOut(arrival, invocation, claim) };
}

interface Hold {
  readonly attempt: OpenAttempt;
  isLost(): boolean;
  /** Ends timers and the heartbeat; the claim itself stays as it is. */
  letGo(): Promise<void>;
}

/** Keeps a claim while user code runs: the lease alive, and user code told when its time or its claim is gone. */
function holdClaim(arrival: Arrival, invocation: Invocation, claim: Claim, leaseMillis: number): Hold {
  const { settings } = invocation;
  const attempt = openAttempt(attemptFacts(arrival, invocation, claim), settings.store.ambient);
  let lost = false;
  const heartbeat = needsHeartbeat(invocation)
    ? startHeartbeat(settings.store, claim, leaseMillis, (cause) => {
        lost = true;
        attempt.abort(new FencedOutError('the claim is lost', { scope: settings.scope, cause }));
      })
    : undefined;
  const cancelStop = invocation.whenToStop(() => {
    attempt.abort(new FencedOutError("the invocation's time is running out", { scope: settings.scope }));
  });
  return {
    attempt,
    isLost: () => lost,
    async letGo() {
      cancelStop();
      await heartbeat?.stop();
    },
  };
}

/** Under `with-commit` a claim is taken only at the limit: there attempts are receives, and the age is theirs. */
function attemptFacts(arrival: Arrival, { settings }: Invocation, claim: Claim): AttemptFacts {
  const counted =
    settings.claim === 'first'
      ? { number: claim.row.attempts, previous: claim.previous, bornAtMillis: claim.row.firstClaimedAt }
      : { number: arrival.receives, previous: undefined, bornAtMillis: arrival.firstReceivedAtMillis };
  return {
    rowKey: claim.rowKey,
    scope: settings.scope,
    isLast: claim.isLast,
    effects: claim.row.effects,
    claimTable: settings.store.tableName,
    ...counted,
    // A new generation of effect keys is named by the time it was asked for.
    ...(claim.row.effects !== undefined ? { bornAtMillis: claim.row.effects } : {}),
  };
}

/**
 * User code that ignored its signal keeps its claim: nobody else may run beside it before the lease is over.
 * It can no longer collect anything; should it return after all with nothing collected, that is recorded, so
 * that the work is not done twice.
 */
function leaveBehind(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  attempt: OpenAttempt,
  running: Promise<Handled>,
): Ending {
  const error = new FencedOutError('the handler was still running when the time ran out', {
    scope: invocation.settings.scope,
  });
  attempt.abort(error);
  const collected = attempt.transaction.freeze().length + attempt.followUps.freeze().length;
  if (collected === 0) {
    void running
      .then(async (late) => {
        if (late.status === 'returned') await settleAttempt(arrival, invocation, claim, attempt, late.value);
      })
      .catch(() => {
        // The claim lapses and the next attempt sees that this one's end is unknown.
      });
  }
  invocation.tell('failed', arrival, { ...attemptOf(claim), error });
  const nowMillis = invocation.settings.store.ambient.wallMillis();
  return returned(Math.max(0, (claim.row.leaseEndsAt ?? nowMillis) + skewMillis - nowMillis));
}
