import { arriveRequest, type RequestArrival } from './arrive/http-arrival.ts';
import type { HttpRequest, ReceivedRequest } from './arrive/http-request.ts';
import { type Claiming, claimWork } from './claim/claim-arrival.ts';
import type { Verdict } from './claim/claim-message.ts';
import type { Wish } from './claim/decide.ts';
import { isNamed, toError } from './errors.ts';
import type { Attempt } from './handle/attempt.ts';
import type { InvocationContext } from './handle/deadline.ts';
import { handled } from './handle/handled.ts';
import { runRequest } from './handle/run-request.ts';
import { unguardedAttempt } from './handle/unguarded-attempt.ts';
import { type EngineInvocation, openEngineInvocation } from './invocation.ts';
import type { ReceiverSettings } from './receiver-settings.ts';
import {
  answered,
  inFlight,
  leaseLeftMillis,
  type RequestEnding,
  unavailable,
} from './settle/http-ending.ts';
import { problem } from './settle/http-problem.ts';
import { replay } from './settle/http-replay.ts';
import { readAnswer } from './settle/http-response.ts';

/** How user code is called, whatever face it has. */
export type RunRequest = (request: ReceivedRequest, attempt: Attempt) => unknown;

/** A request as it came in. */
export interface Incoming {
  readonly request: HttpRequest;
  readonly requestId: string | undefined;
  readonly context: InvocationContext | undefined;
  /** Resolves when the answer has to be given, whatever still runs; the context's deadline counts anyway. */
  readonly expiry?: Promise<void>;
}

/**
 * One request's whole path, the twin of a message's in `each-message.ts`.
 *
 *   arrive ─▶ claim ─▶ handle ─▶ settle ─▶ the handler's answer
 *      │        │         └─ throws, or an answer not to be recorded ─▶ released; the retry runs
 *      │        ├─ in flight ─▶ 409, come back when the lease is over
 *      │        ├─ duplicate ─▶ the recorded answer once more
 *      │        └─ key reused ─▶ 422
 *      └─ no key, no caller, no readable body ─▶ 4xx, nothing claimed
 *
 * Attempts are counted and never used up: the sender decides how often it comes back. A lapsed claim is taken
 * over beside whatever else the process serves.
 */
export async function eachRequest<Body>(
  settings: ReceiverSettings<Body>,
  { request, requestId, context, expiry }: Incoming,
  run: RunRequest,
): Promise<RequestEnding> {
  const invocation = openEngineInvocation(settings, context);
  void expiry?.then(invocation.expire);
  try {
    const id = requestId ?? settings.store.ambient.randomId();
    const reading = await arriveRequest(request, settings, id);
    if (reading.status === 'refused') return answered(reading.response);
    if (reading.status === 'unguarded') return await runUnguarded(invocation, reading.request, run);
    try {
      return await guardRequest(reading.arrival, invocation, settings, run);
    } catch (error) {
      // What can never work is thrown on, and told like every other request that the table was no help to.
      invocation.tell('store-unavailable', reading.arrival, { error: toError(error) });
      throw error;
    } finally {
      invocation.tell('answering', reading.arrival);
    }
  } catch (error) {
    return { status: 'threw', error };
  } finally {
    invocation.close();
  }
}

async function runUnguarded(
  invocation: EngineInvocation,
  request: ReceivedRequest,
  run: RunRequest,
): Promise<RequestEnding> {
  const { attempt, close } = unguardedAttempt(invocation);
  const outcome = await handled(() => run(request, attempt));
  close();
  if (outcome.status === 'threw') return outcome;
  return { status: 'passed', response: readAnswer(outcome.value).response };
}

/** No claim, no handler: without the table the sender comes back; what can never work is thrown. */
async function guardRequest<Body>(
  arrival: RequestArrival<Body>,
  invocation: EngineInvocation,
  settings: ReceiverSettings<Body>,
  run: RunRequest,
): Promise<RequestEnding> {
  if (!invocation.deadline.hasRoom()) {
    invocation.tell('unstarted', arrival);
    return unavailable();
  }
  let claiming: Claiming;
  try {
    invocation.tell('claiming', arrival);
    claiming = await claimWork(arrival, invocation, () => wishOf(arrival, invocation));
  } catch (error) {
    if (!isNamed(error, 'StoreUnavailableError')) throw error;
    invocation.tell('store-unavailable', arrival, { error: error as Error });
    return unavailable();
  }
  const { verdict } = claiming;
  if (verdict.status !== 'claimed') return answer(arrival, invocation, verdict);
  return runRequest(arrival, invocation, settings.isRecorded, claiming, verdict.claim, run);
}

function wishOf<Body>(arrival: RequestArrival<Body>, { settings }: EngineInvocation): Wish {
  const { ambient } = settings.store;
  return {
    purpose: 'run-alone',
    nowMillis: ambient.wallMillis(),
    owner: ambient.randomId(),
    messageId: arrival.messageId,
    fingerprint: arrival.fingerprint,
    mark: undefined,
    maxAttempts: Number.POSITIVE_INFINITY,
    outlivedItsRow: false,
  };
}

function answer<Body>(
  arrival: RequestArrival<Body>,
  invocation: EngineInvocation,
  verdict: Exclude<Verdict, { status: 'claimed' }>,
): Promise<RequestEnding> | RequestEnding {
  switch (verdict.status) {
    case 'duplicate':
      return replay(arrival, invocation, verdict.row);
    case 'in-flight':
      invocation.tell('in-flight', arrival);
      return inFlight(leaseLeftMillis(invocation, verdict.row.leaseEndsAt));
    case 'key-reused':
      invocation.tell('key-reused', arrival);
      return answered(problem('key-reused'));
    default:
      // Nothing of a receiver is parked, used up or too old, and a lapsed claim is taken over.
      throw new TypeError(`a request cannot be ${verdict.status}`);
  }
}
