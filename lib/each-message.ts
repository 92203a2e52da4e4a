import { answerVerdict, askForClaim, parkKeyReused } from './answer-verdict.ts';
import type { Arrival } from './arrive/message.ts';
import { type Claiming, wishOf } from './claim/claim-arrival.ts';
import type { Claim, Verdict } from './claim/claim-message.ts';
import { decide, type Purpose } from './claim/decide.ts';
import { commitMessage } from './commit-message.ts';
import { isNamed, toError } from './errors.ts';
import { runAttempt } from './handle/run-attempt.ts';
import { callLimit, type Invocation } from './invocation.ts';
import type { Message, MessageHandler } from './options.ts';
import { shareOutcome } from './settle/answer-duplicate.ts';
import { acknowledged, type Ending, returned } from './settle/ending.ts';
import { failAttempt, unstarted } from './settle/fail-attempt.ts';
import { parkMessage } from './settle/park-message.ts';

/** How user code is run once its claim is won. */
export type Run = (
  arrival: Arrival,
  invocation: Invocation,
  claiming: Claiming,
  claim: Claim,
) => Promise<Ending>;

/**
 * READ FIRST: one message's whole path.
 *
 *   arrive ─▶ claim ─▶ handle ─▶ settle ─▶ acknowledged
 *               │         └─ throws ─▶ released, or parked at the last attempt
 *               ├─ in flight ─▶ returned until the lease is over
 *               ├─ duplicate ─▶ acknowledged with the recorded outcome
 *               └─ parked, exhausted, key reused, beyond retention ─▶ dead-letter queue, never run
 */
export async function eachMessage<Body>(
  arrival: Arrival<Body>,
  invocation: Invocation<Body>,
  handler: MessageHandler<Body>,
): Promise<Ending> {
  const inside: MessageHandler<unknown> = (message, attempt) =>
    invocation.gate.inside(() => handler(message as Message<Body>, attempt));
  const run: Run = (claimed, within, claiming, claim) => runAttempt(claimed, within, claiming, claim, inside);
  const withCommit = invocation.settings.claim === 'with-commit' && arrival.reading.status === 'message';
  return oneOfAnEvent(arrival as Arrival, invocation as Invocation, () =>
    withCommit
      ? commitMessage(arrival as Arrival, invocation as Invocation, inside, run)
      : claimThenRun(arrival as Arrival, invocation as Invocation, run),
  );
}

/** A message's path beside the others of its event: work that came twice goes it once, the table is spared. */
export function oneOfAnEvent(
  arrival: Arrival,
  invocation: Invocation,
  path: () => Promise<Ending>,
): Promise<Ending> {
  return onceInThisEvent(arrival, invocation, () => sparingTheTable(arrival, invocation, path));
}

/** One piece of work that came twice in one event is done once, and both get what became of it. */
async function onceInThisEvent(
  arrival: Arrival,
  invocation: Invocation,
  path: () => Promise<Ending>,
): Promise<Ending> {
  const first = invocation.firsts.get(arrival.rowKey);
  if (first === undefined) {
    const ending = path();
    invocation.firsts.set(arrival.rowKey, {
      messageId: arrival.messageId,
      fingerprint: arrival.fingerprint,
      ending,
    });
    return ending;
  }
  const ending = await first.ending;
  if (first.fingerprint !== arrival.fingerprint) {
    return sparingTheTable(arrival, invocation, () => otherPayload(arrival, invocation));
  }
  if (ending.status === 'returned') return withTheFirst(arrival, invocation, ending);
  const outcome = ending.outcome();
  if (outcome.status === 'parked' && first.messageId !== arrival.messageId) {
    return withTheFirst(arrival, invocation, returned(0));
  }
  return shareOutcome(arrival, invocation, outcome);
}

/** Another copy is never left out of the story, also where the first one's fate is its own. */
function withTheFirst(arrival: Arrival, invocation: Invocation, ending: Ending): Ending {
  invocation.tell('unstarted', arrival, { reason: 'with the first of its key' });
  return ending;
}

/**
 * One key twice in one event, with two payloads. Which of them the key stands for the row says: it is not always
 * the one that comes first. The one it stands for comes back without the other.
 */
async function otherPayload(arrival: Arrival, invocation: Invocation): Promise<Ending> {
  const { store, maxAttempts } = invocation.settings;
  const row = await store.read(arrival.rowKey, callLimit(invocation));
  const decision = decide(row, wishOf(arrival, invocation, 'run', maxAttempts));
  return decision.status === 'key-reused'
    ? parkKeyReused(arrival, invocation)
    : unstarted(arrival, invocation);
}

/** No claim, no handler: without the table the message goes back; what can never work fails the invocation. */
async function sparingTheTable(
  arrival: Arrival,
  invocation: Invocation,
  path: () => Promise<Ending>,
): Promise<Ending> {
  if (invocation.fatal() !== undefined || !invocation.deadline.hasRoom())
    return unstarted(arrival, invocation);
  try {
    return await path();
  } catch (error) {
    if (isNamed(error, 'StoreUnavailableError')) {
      invocation.tell('store-unavailable', arrival, { error: error as Error });
      return returned(invocation.backoffMillis(arrival.receives));
    }
    invocation.tell('store-unavailable', arrival, { error: toError(error) });
    invocation.doom(toError(error));
    return returned(undefined);
  }
}

/** Claims a message and runs it: beside others first, alone where the last attempt's end is unknown. */
export async function claimThenRun(
  arrival: Arrival,
  invocation: Invocation,
  run: Run,
  limits: { readonly maxAttempts?: number; readonly purpose?: Purpose } = {},
): Promise<Ending> {
  const { reading } = arrival;
  if (reading.status === 'nothing') return acknowledged(() => ({ status: 'completed' }));
  if (reading.status === 'later') {
    invocation.tell('deferred', arrival, { error: reading.error });
    return returned(reading.afterSeconds * 1_000);
  }
  const purpose = limits.purpose ?? (reading.status === 'poison' ? 'park' : 'run');
  const leave = await invocation.gate.enter(
    purpose === 'run-alone' ? 'alone' : 'beside',
    invocation.outOfTime,
  );
  if (leave === undefined) return unstarted(arrival, invocation);
  let alone: boolean;
  try {
    if (!invocation.deadline.hasRoom()) return unstarted(arrival, invocation);
    const claiming = await askForClaim(arrival, invocation, purpose, limits.maxAttempts);
    alone = mayRunAlone(claiming.verdict, invocation);
    if (!alone) return await follow(arrival, invocation, claiming, run);
  } finally {
    leave();
  }
  return claimThenRun(arrival, invocation, run, { ...limits, purpose: 'run-alone' });
}

/** After an attempt whose end is unknown: where the settings say so, and where a person brought it back. */
function mayRunAlone(verdict: Verdict, { settings }: Invocation): boolean {
  return verdict.status === 'abandoned' && (settings.abandoned === 'run' || verdict.isBroughtBack);
}

/** Does what the verdict asks for. */
async function follow(
  arrival: Arrival,
  invocation: Invocation,
  claiming: Claiming,
  run: Run,
): Promise<Ending> {
  const { verdict } = claiming;
  if (verdict.status !== 'claimed') return answerVerdict(arrival, invocation, verdict);
  const { reading } = arrival;
  const { claim } = verdict;
  if (reading.status === 'failed') return failAttempt(arrival, invocation, claim, reading.error);
  if (reading.status === 'poison') {
    return parkMessage(arrival, invocation, claim, reading.reason, reading.error);
  }
  return isAbandoned(claim, invocation)
    ? parkMessage(arrival, invocation, claim, 'abandoned', undefined)
    : run(arrival, invocation, claiming, claim);
}

/** Another copy of what a person brought back was tried meanwhile, and left without a word. */
function isAbandoned(claim: Claim, { settings }: Invocation): boolean {
  return settings.abandoned === 'park' && claim.takenOver && claim.row.attempts > 1;
}
