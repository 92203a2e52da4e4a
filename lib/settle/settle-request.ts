import type { Claim } from '../claim/claim-message.ts';
import { isNamed, toError, wantedBackAfterSeconds } from '../errors.ts';
import type { OpenAttempt } from '../handle/attempt.ts';
import type { EngineInvocation } from '../invocation.ts';
import type { Work } from '../words.ts';
import { answered, followUpsUnsent, inFlight, type RequestEnding, unavailable } from './http-ending.ts';
import { keepResponse } from './http-record.ts';
import { replay } from './http-replay.ts';
import { type PlainResponse, readAnswer } from './http-response.ts';
import { recordOutcome } from './record-outcome.ts';
import { releaseClaim } from './release-claim.ts';

/** A request's attempt, as far as settling it needs to know. */
export interface RequestAttempt {
  readonly work: Work;
  readonly invocation: EngineInvocation;
  readonly claim: Claim;
  readonly attempt: OpenAttempt;
  readonly isRecorded: (status: number) => boolean;
}

/** Records what a request's handler answered, or gives the claim back where the answer is none to be kept. */
export async function settleRequest(run: RequestAttempt, value: unknown): Promise<RequestEnding> {
  const { work, invocation, claim, attempt } = run;
  const { status, response } = readAnswer(value);
  // The work is done whether or not its answer can be sent, so what cannot be sent is recorded all the same.
  if (status === 'usable' && !run.isRecorded(response.statusCode)) return giveBackUnrecorded(run, response);
  const ending: RequestEnding = status === 'usable' ? { status: 'passed', response } : answered(response);
  const text = keepResponse(response);
  const recorded = await recordOutcome(work, invocation, claim, attempt, { completed: text, rejected: text });
  switch (recorded.status) {
    case 'completed':
      return recorded.followUpsOut ? ending : followUpsUnsent();
    case 'unrecorded':
    case 'rejected':
      return ending;
    case 'failed':
      return failRequest(run, recorded.error);
    case 'impossible':
      return failRequest(run, toError(recorded.cause));
    case 'uncommitted':
      return failUncommitted(run, recorded.error);
    case 'fenced-out':
      return fencedOutRequest(run);
    default:
      return recorded satisfies never;
  }
}

/** The handler threw, or what it collected can never be committed: given back, and thrown on. */
export async function failRequest(run: RequestAttempt, thrown: unknown): Promise<RequestEnding> {
  const later = wantedBackAfterSeconds(thrown);
  await giveBack(run, { counts: later === undefined, error: thrown }, () =>
    run.invocation.tell(later === undefined ? 'failed' : 'deferred', run.work, {
      ...aboutOf(run),
      error: toError(thrown),
    }),
  );
  return later === undefined ? { status: 'threw', error: thrown } : unavailable(later * 1_000);
}

/** What was collected could not be committed, so nothing happened; unless the commit's reply was lost. */
async function failUncommitted(run: RequestAttempt, error: Error): Promise<RequestEnding> {
  const isConfiguration = isNamed(error, 'ConfigurationError');
  const settled = await giveBack(run, { counts: !isConfiguration, error }, () =>
    run.invocation.tell('failed', run.work, { ...aboutOf(run), error }),
  );
  if (settled !== undefined) return replay(run.work, run.invocation, settled);
  return isConfiguration ? { status: 'threw', error } : unavailable();
}

/** An answer that may be another one next time: what was collected is discarded and a retry runs again. */
async function giveBackUnrecorded(run: RequestAttempt, response: PlainResponse): Promise<RequestEnding> {
  const { statusCode } = response;
  run.attempt.transaction.freeze();
  run.attempt.followUps.freeze();
  await giveBack(run, { counts: true, error: `answered ${statusCode}` }, () =>
    run.invocation.tell('failed', run.work, { ...aboutOf(run), reason: `status ${statusCode}` }),
  );
  return { status: 'passed', response };
}

/** No user code ran under the claim. */
export async function giveBackUnstarted(
  run: RequestAttempt,
  event: 'unstarted' | 'store-unavailable',
  error?: Error,
): Promise<RequestEnding> {
  await giveBack(run, { counts: false }, () =>
    run.invocation.tell(event, run.work, { ...aboutOf(run), ...(error !== undefined ? { error } : {}) }),
  );
  return unavailable();
}

/** Gives the claim back and tells of it, or of its loss. The answer is the row, where the work is done after all. */
async function giveBack(run: RequestAttempt, why: Parameters<typeof releaseClaim>[3], tell: () => void) {
  const released = await releaseClaim(run.work, run.invocation, run.claim, why);
  if (released.status === 'fenced-out') run.invocation.tell('fenced-out', run.work, aboutOf(run));
  else if (released.status !== 'settled') tell();
  return released.status === 'settled' ? released.row : undefined;
}

/** Another attempt has the claim and will have an answer. This one writes nothing and answers nothing. */
export function fencedOutRequest(run: RequestAttempt): RequestEnding {
  run.invocation.tell('fenced-out', run.work, aboutOf(run));
  return inFlight(0);
}

function aboutOf({ claim }: RequestAttempt): { attempt: number; fence: number } {
  return { attempt: claim.row.attempts, fence: claim.fence };
}
