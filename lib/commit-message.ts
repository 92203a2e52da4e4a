import { answerVerdict, parkUnrun } from './answer-verdict.ts';
import type { Arrival } from './arrive/message.ts';
import { expiryOf, triedSinceMillis, wishOf } from './claim/claim-arrival.ts';
import { mostLooks } from './claim/claim-message.ts';
import { claimRow } from './claim/claim-row.ts';
import { decide, type Wish } from './claim/decide.ts';
import { claimThenRun, type Run } from './each-message.ts';
import { FencedOutError, isNamed, StoreUnavailableError, toError, wantedBackAfterSeconds } from './errors.ts';
import { type OpenAttempt, openAttempt } from './handle/attempt.ts';
import { handled } from './handle/handled.ts';
import { inTime } from './in-time.ts';
import type { Invocation } from './invocation.ts';
import type { MessageHandler } from './options.ts';
import { acknowledged, acknowledgedUnrecorded, type Ending, returned } from './settle/ending.ts';
import { unstarted } from './settle/fail-attempt.ts';
import { heldRow } from './settle/hold.ts';
import { isLastDelivery, isLastRedelivery } from './settle/last-delivery.ts';
import { outcomeOf } from './settle/outcome.ts';
import { persist } from './settle/persist.ts';
import { sendRecordedFollowUps } from './settle/recorded-follow-ups.ts';
import { keepResult } from './settle/result.ts';
import type { Settlement } from './store/port.ts';
import { outcomeAttributes } from './store/settle.ts';
import type { TransactionWrite } from './store/writes.ts';
import type { ClaimRow } from './words.ts';

/**
 * `claim: 'with-commit'`: user code first, then one transaction that writes the claim as completed together
 * with what user code collected.
 *
 *   A runs ──────────── commits: lands
 *      B runs ─────────────── commits: refused, B is a duplicate and none of its writes exist
 *
 * Nothing is claimed before, so only receives are counted. A claim is taken first after all
 *
 * - at the limit: a completed message must still be acknowledged, and one that kills its worker must be found;
 * - for a message older than its row, which has to vouch for it;
 * - for one with new effect keys, which the row remembers. A redrive that was killed sends its message again, and
 *   asks for newer ones: under those a provider would do again what it did under the first copy's.
 */
export async function commitMessage(
  arrival: Arrival,
  invocation: Invocation,
  handler: MessageHandler<unknown>,
  run: Run,
): Promise<Ending> {
  const { maxAttempts } = invocation.settings;
  const { outlivedItsRow, mark } = wishOf(arrival, invocation, 'run-alone', maxAttempts);
  if (outlivedItsRow || mark?.effects !== undefined) {
    return claimThenRun(arrival, invocation, run, { purpose: 'run-alone' });
  }
  if (arrival.receives >= maxAttempts) {
    return claimThenRun(arrival, invocation, run, { maxAttempts: 1, purpose: 'run-alone' });
  }
  const held = await heldRow(arrival, invocation);
  if (held !== undefined) return answerVerdict(arrival, invocation, { status: 'exhausted', row: held });
  const isLast = await isLastRedelivery(arrival, invocation);
  const leave = await invocation.gate.enter('beside', invocation.outOfTime);
  if (leave === undefined) return unstarted(arrival, invocation);
  try {
    if (!invocation.deadline.hasRoom()) return unstarted(arrival, invocation);
    return await runThenCommit(arrival, invocation, handler, isLast);
  } finally {
    leave();
  }
}

async function runThenCommit(
  arrival: Arrival,
  invocation: Invocation,
  handler: MessageHandler<unknown>,
  isLast: boolean,
): Promise<Ending> {
  if (arrival.reading.status !== 'message') throw new TypeError('only a message can be run');
  const { message } = arrival.reading;
  const attempt = openUnclaimed(arrival, invocation, isLast);
  const timeIsUp = () =>
    attempt.abort(
      new FencedOutError("the invocation's time is running out", { scope: invocation.settings.scope }),
    );
  const cancelStop = invocation.whenToStop(timeIsUp);
  invocation.tell('starting', arrival, { attempt: arrival.receives });
  const outcome = await inTime(
    handled(() => handler(message, attempt.face)),
    invocation.outOfTime,
    {
      status: 'outlived',
    } as const,
  );
  cancelStop();
  if (outcome.status === 'returned') return commit(arrival, invocation, attempt, outcome.value);
  if (outcome.status === 'threw') return failed(arrival, invocation, outcome.error);
  timeIsUp();
  return failed(
    arrival,
    invocation,
    new FencedOutError('the handler was still running when the time ran out'),
  );
}

function openUnclaimed(arrival: Arrival, { settings }: Invocation, isLast: boolean): OpenAttempt {
  return openAttempt(
    {
      rowKey: arrival.rowKey,
      scope: settings.scope,
      number: arrival.receives,
      isLast,
      previous: undefined,
      effects: undefined,
      bornAtMillis: triedSinceMillis(arrival),
      claimTable: settings.store.tableName,
    },
    settings.store.ambient,
  );
}

async function commit(
  arrival: Arrival,
  invocation: Invocation,
  attempt: OpenAttempt,
  value: unknown,
): Promise<Ending> {
  const writes = attempt.transaction.freeze();
  const followUps = attempt.followUps.freeze();
  const wish = wishOf(arrival, invocation, 'run-alone', invocation.settings.maxAttempts);
  const settlement: Settlement = {
    status: 'completed',
    result: keepResult(value),
    followUps,
    settledAt: wish.nowMillis,
    expiresAt: expiryOf(arrival, invocation, wish.nowMillis),
  };
  invocation.tell('settling', arrival, { attempt: arrival.receives });
  const landing = await commitRow(arrival, invocation, wish, settlement, writes);
  switch (landing.status) {
    case 'landed':
      return committed(arrival, invocation, landing.row);
    case 'verdict':
      return answerVerdict(arrival, invocation, landing.verdict);
    case 'rejected': {
      const judgement = attempt.transaction.judge(landing.failures);
      if (judgement.status !== 'rejected') return failed(arrival, invocation, judgement.error);
      return rejectOutOfOrder(arrival, invocation, wish, settlement, judgement.reason);
    }
    case 'impossible':
      return parkUnrun(arrival, invocation, 'transaction-impossible', toError(landing.cause));
    case 'unavailable':
      if (isNamed(landing.error, 'ConfigurationError')) throw landing.error;
      if (writes.length + followUps.length > 0) return failed(arrival, invocation, landing.error);
      invocation.tell('outcome-unrecorded', arrival, { attempt: arrival.receives, error: landing.error });
      return acknowledgedUnrecorded(() => ({ status: 'completed', result: value }));
    default:
      return landing satisfies never;
  }
}

/** Writes the completed row over whatever free row stands there; anything else is read as a claim's answer. */
async function commitRow(
  arrival: Arrival,
  invocation: Invocation,
  wish: Wish,
  settlement: Settlement,
  writes: readonly TransactionWrite[],
) {
  const { store } = invocation.settings;
  let seen: ClaimRow | undefined;
  for (let look = 0; look < mostLooks; look += 1) {
    const decision = decide(seen, wish);
    if (decision.status !== 'free') return { status: 'verdict', verdict: decision } as const;
    const {
      leaseEndsAt: _,
      lastError: __,
      ...taken
    } = claimRow(arrival.rowKey, decision, wish, {
      leaseEndsAt: 0,
      expiresAt: settlement.expiresAt,
    });
    const row: ClaimRow = { ...taken, ...outcomeAttributes(settlement) };
    const landing = await persist(invocation, (limit) => store.commit(row, decision.over, writes, limit));
    if (landing.status === 'landed') return { status: 'landed', row } as const;
    if (landing.status !== 'refused') return landing;
    seen = landing.row;
  }
  throw new StoreUnavailableError("the claim's row kept changing while the work was being committed");
}

async function committed(arrival: Arrival, invocation: Invocation, row: ClaimRow): Promise<Ending> {
  const claim = { rowKey: row.claim, fence: row.fence, owner: row.owner };
  if (!(await sendRecordedFollowUps(arrival, invocation, claim, row.followUps ?? [], 0))) {
    return returned(invocation.backoffMillis(arrival.receives));
  }
  invocation.tell(row.status === 'rejected' ? 'rejected' : 'completed', arrival, {
    attempt: arrival.receives,
    fence: row.fence,
    ...(row.reason !== undefined ? { reason: row.reason } : {}),
  });
  return acknowledged(() => outcomeOf(row));
}

async function rejectOutOfOrder(
  arrival: Arrival,
  invocation: Invocation,
  wish: Wish,
  { settledAt, expiresAt }: Settlement,
  reason: string,
): Promise<Ending> {
  const landing = await commitRow(
    arrival,
    invocation,
    wish,
    { status: 'rejected', reason, settledAt, expiresAt },
    [],
  );
  if (landing.status === 'landed') return committed(arrival, invocation, landing.row);
  if (landing.status === 'verdict') return answerVerdict(arrival, invocation, landing.verdict);
  return failed(arrival, invocation, new Error(`the outcome could not be recorded (${landing.status})`));
}

/** Nothing was claimed, so there is nothing to give back; only parking needs the claim. */
async function failed(arrival: Arrival, invocation: Invocation, thrown: unknown): Promise<Ending> {
  const error = toError(thrown);
  if (isNamed(thrown, 'PoisonMessageError')) return parkUnrun(arrival, invocation, 'poison', error);
  if (isNamed(thrown, 'EffectKeyExpiredError')) {
    return parkUnrun(arrival, invocation, 'effect-key-expired', error);
  }
  if (await isLastDelivery(arrival, invocation)) {
    return parkUnrun(arrival, invocation, 'last-delivery', error);
  }
  const afterSeconds = wantedBackAfterSeconds(thrown);
  if (afterSeconds !== undefined) {
    invocation.tell('deferred', arrival, { attempt: arrival.receives, error });
    return returned(afterSeconds * 1_000);
  }
  invocation.tell('failed', arrival, { attempt: arrival.receives, error });
  return returned(invocation.backoffMillis(arrival.receives));
}
