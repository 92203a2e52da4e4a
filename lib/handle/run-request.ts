import type { RequestArrival } from '../arrive/http-arrival.ts';
import type { ReceivedRequest } from '../arrive/http-request.ts';
import type { Claiming } from '../claim/claim-arrival.ts';
import type { Claim } from '../claim/claim-message.ts';
import type { EngineInvocation } from '../invocation.ts';
import { inFlight, leaseLeftMillis, type RequestEnding } from '../settle/http-ending.ts';
import {
  failRequest,
  fencedOutRequest,
  giveBackUnstarted,
  type RequestAttempt,
  settleRequest,
} from '../settle/settle-request.ts';
import { type Attempt, openAttempt } from './attempt.ts';
import type { Handled } from './handled.ts';
import { attemptOf, type ClaimedRun, leaveBehind, runClaimed } from './run-claimed.ts';

/** Runs a request's handler under a claim and settles what came of it. */
export function runRequest<Body>(
  arrival: RequestArrival<Body>,
  invocation: EngineInvocation,
  isRecorded: (status: number) => boolean,
  claiming: Claiming,
  claim: Claim,
  run: (request: ReceivedRequest, attempt: Attempt) => unknown,
): Promise<RequestEnding> {
  const { row, previous } = claim;
  const { scope, store } = invocation.settings;
  const attempt = openAttempt(
    {
      rowKey: claim.rowKey,
      scope,
      number: row.attempts,
      isLast: claim.isLast,
      previous,
      effects: row.effects,
      bornAtMillis: row.effects ?? row.firstClaimedAt,
      claimTable: store.tableName,
    },
    store.ambient,
  );
  return runClaimed(
    arrival,
    invocation,
    claiming,
    claim,
    attempt,
    (face) => run(arrival.request, face),
    (claimedRun) => conclude({ work: arrival, invocation, claim, attempt, isRecorded }, claimedRun),
  );
}

async function conclude(run: RequestAttempt, claimed: ClaimedRun): Promise<RequestEnding> {
  switch (claimed.status) {
    case 'returned':
      return settleRequest(run, claimed.value);
    case 'threw':
      return failRequest(run, claimed.error);
    case 'no-room':
      return giveBackUnstarted(run, 'unstarted');
    case 'unsure':
      return giveBackUnstarted(run, 'store-unavailable', claimed.error);
    case 'lost':
      return fencedOutRequest(run);
    case 'outlived':
      return outlived(run, claimed.running);
    default:
      return claimed satisfies never;
  }
}

/** The answer is given while the handler still runs, and says so. */
function outlived(run: RequestAttempt, running: Promise<Handled>): RequestEnding {
  const { work, invocation, claim, attempt } = run;
  const error = leaveBehind(invocation, attempt, running, (late) => settleRequest(run, late));
  invocation.tell('failed', work, { ...attemptOf(claim), error });
  return inFlight(leaseLeftMillis(invocation, claim.row.leaseEndsAt));
}
