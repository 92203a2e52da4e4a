import type { Arrival } from '../arrive/message.ts';
import type { Claiming } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import type { Invocation } from '../invocation.ts';
import { millisUntilFree } from '../lease.ts';
import type { MessageHandler } from '../options.ts';
import { type Ending, returned } from '../settle/ending.ts';
import { failAttempt, giveBackUnstarted, giveBackUnsure } from '../settle/fail-attempt.ts';
import { isLastRedelivery } from '../settle/last-delivery.ts';
import { fencedOut } from '../settle/not-parked.ts';
import { settleAttempt } from '../settle/settle-attempt.ts';
import { type AttemptFacts, type OpenAttempt, openAttempt } from './attempt.ts';
import type { Handled } from './handled.ts';
import { attemptOf, type ClaimedRun, leaveBehind, runClaimed } from './run-claimed.ts';

/** Runs a message's handler under a claim and settles what came of it. */
export async function runAttempt(
  arrival: Arrival,
  invocation: Invocation,
  claiming: Claiming,
  claim: Claim,
  handler: MessageHandler<unknown>,
): Promise<Ending> {
  if (arrival.reading.status !== 'message') throw new TypeError('only a message can be run');
  const { message } = arrival.reading;
  const facts = await attemptFacts(arrival, invocation, claim);
  const attempt = openAttempt(facts, invocation.settings.store.ambient);
  return runClaimed(
    arrival,
    invocation,
    claiming,
    claim,
    attempt,
    (face) => handler(message, face),
    (run) => conclude(arrival, invocation, claim, attempt, run),
  );
}

async function conclude(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  attempt: OpenAttempt,
  run: ClaimedRun,
): Promise<Ending> {
  switch (run.status) {
    case 'returned':
      return settleAttempt(arrival, invocation, claim, attempt, run.value);
    case 'threw':
      return failAttempt(arrival, invocation, claim, run.error);
    case 'no-room':
      return giveBackUnstarted(arrival, invocation, claim);
    case 'unsure':
      return giveBackUnsure(arrival, invocation, claim, run.error);
    case 'lost':
      return fencedOut(arrival, invocation, claim);
    case 'outlived':
      return outlived(arrival, invocation, claim, attempt, run.running);
    default:
      return run satisfies never;
  }
}

/** Under `with-commit` a claim is taken only at the limit: there attempts are receives. */
async function attemptFacts(arrival: Arrival, invocation: Invocation, claim: Claim): Promise<AttemptFacts> {
  const { settings } = invocation;
  const counted =
    settings.claim === 'first'
      ? { number: claim.row.attempts, previous: claim.previous }
      : { number: arrival.receives, previous: undefined };
  return {
    rowKey: claim.rowKey,
    scope: settings.scope,
    isLast: claim.isLast || (await isLastRedelivery(arrival, invocation)),
    effects: claim.row.effects,
    // A new generation of effect keys is named by the time it was asked for.
    bornAtMillis: claim.row.effects ?? claim.row.firstClaimedAt,
    claimTable: settings.store.tableName,
    ...counted,
  };
}

/** The answer is given while the handler still runs: the message is of no use before its lease is over. */
function outlived(
  arrival: Arrival,
  invocation: Invocation,
  claim: Claim,
  attempt: OpenAttempt,
  running: Promise<Handled>,
): Ending {
  const error = leaveBehind(invocation, attempt, running, (late) =>
    settleAttempt(arrival, invocation, claim, attempt, late),
  );
  invocation.tell('failed', arrival, { ...attemptOf(claim), error });
  const nowMillis = invocation.settings.store.ambient.wallMillis();
  return returned(millisUntilFree(claim.row.leaseEndsAt ?? nowMillis, nowMillis));
}
