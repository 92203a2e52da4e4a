import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { toError } from '../errors.ts';
import { lanesOf, runLanes } from '../handle/lanes.ts';
import { claimNameOf } from './claim-name.ts';
import type { ReadClaim } from './claims.ts';
import type { DeadLetter } from './dead-letter.ts';
import { type Pass, startPass } from './pass.ts';
import { type ClaimNow, type Plan, planFor } from './plan.ts';
import { createSources, type DeadLetterQueue } from './queue.ts';
import { redrivenMessage } from './redriven-message.ts';
import { isSelected, type Selection } from './selection.ts';

export interface RedriveOptions {
  readonly sqs: SQSClient;
  readonly queue: DeadLetterQueue;
  readonly readClaim: ReadClaim;
  readonly selection: Selection;
  /** Scope of messages that SQS dead-lettered itself. */
  readonly scope?: string | undefined;
  /** URL of the queue to go back to, whatever the messages say. */
  readonly to?: string | undefined;
  /** At most so many messages. */
  readonly limit?: number | undefined;
  /** At most so many messages a second. */
  readonly ratePerSecond?: number | undefined;
  /** A new generation of effect keys, named by the time it was asked for. */
  readonly effects?: number | undefined;
  /** Nothing is sent and nothing deleted. */
  readonly dryRun: boolean;
  readonly onOutcome: (outcome: Redriven) => void;
  readonly signal?: AbortSignal;
}

/** What became of one dead letter. */
export interface Redriven {
  readonly letter: DeadLetter;
  readonly claim: ClaimNow;
  readonly plan: Plan;
  /** A message that failed lies where it lay; the next run takes it up again. */
  readonly status: 'done' | 'planned' | 'failed';
  readonly error?: Error;
}

/**
 * A message that is held while it waits its turn must not come up again, and not stay away long when this run is
 * killed. One that comes up again after all is recognised here, and by its mark at the consumer.
 */
const leastHoldSeconds = 10;

/** Messages in the air at a time. */
const concurrency = 10;

/**
 * Brings dead letters back: each is sent to its source with its mark, then deleted. Killed between the two it
 * is sent again by the next run, under the same mark, which the consumer honours once.
 *
 *   look at the claim ─┬─ done ─▶ delete
 *                      └─ else ─▶ send ─▶ delete
 *
 * @returns how many messages the queue may still have that were not seen
 */
export async function redrive(options: RedriveOptions): Promise<number> {
  const { sqs, queue, selection, ratePerSecond, signal } = options;
  const { limit = Number.POSITIVE_INFINITY } = options;
  const holdSeconds = Math.max(leastHoldSeconds, Math.ceil(2 / (ratePerSecond ?? 1)));
  const pass = startPass(sqs, queue, {
    holdSeconds,
    batchSize: batchSizeFor(ratePerSecond, holdSeconds),
    patienceMillis: options.dryRun ? 0 : (holdSeconds + 5) * 1_000,
    ...(signal !== undefined ? { signal } : {}),
  });
  const behind = (letter: DeadLetter) => options.onOutcome(behindFailed(letter));
  const groupOf = ({ groupId }: DeadLetter) => (queue.fifo ? groupId : undefined);
  const act = inGroups(groupOf, createAct(options, pass), behind);
  try {
    for (let taken = 0; taken < limit; ) {
      const letters = await pass.next();
      if (letters.length === 0) break;
      const selected = letters.filter((letter) => isSelected(letter, selection)).slice(0, limit - taken);
      taken += selected.length;
      await runLanes(
        lanesOf(selected, groupOf),
        concurrency,
        async (letter) => ((await act(letter)) === 'failed' ? 'unsettled' : 'settled'),
        behind,
      );
    }
  } catch (error) {
    await pass.end().catch(() => {
      // The first error says what is wrong; the messages come back by themselves.
    });
    throw error;
  }
  return pass.end();
}

/** So many messages are received at once that the last of them still has its turn while it is held. */
function batchSizeFor(ratePerSecond: number | undefined, holdSeconds: number): number {
  if (ratePerSecond === undefined) return 10;
  return Math.min(10, Math.max(1, Math.floor((ratePerSecond * holdSeconds) / 2)));
}

/** In a FIFO group nothing overtakes a message that failed. */
function behindFailed(letter: DeadLetter): Redriven {
  const error = new Error('it stands behind a message of its group that failed');
  return { letter, claim: { status: 'unknown' }, plan: { action: 'send' }, status: 'failed', error };
}

/**
 * A group that failed has failed for the whole run, not for one receive:
 *
 *   a1 fails, held ── its hold ends ── a1 (known) and a2 are received ── a2 stays: a1 still lies before it
 */
function inGroups(
  groupOf: (letter: DeadLetter) => string | undefined,
  act: (letter: DeadLetter) => Promise<Redriven['status']>,
  behind: (letter: DeadLetter) => void,
): (letter: DeadLetter) => Promise<Redriven['status']> {
  const failed = new Set<string>();
  return async (letter) => {
    const group = groupOf(letter);
    if (group !== undefined && failed.has(group)) {
      behind(letter);
      return 'failed';
    }
    const status = await act(letter);
    if (group !== undefined && status === 'failed') failed.add(group);
    return status;
  };
}

function createAct(options: RedriveOptions, pass: Pass): (letter: DeadLetter) => Promise<Redriven['status']> {
  const { sqs, queue, readClaim, scope, to, effects, dryRun, onOutcome } = options;
  const sourceOf = createSources(sqs, queue, to);
  const turn = createTurns(options.ratePerSecond);

  async function carryOut(letter: DeadLetter, plan: Plan): Promise<void> {
    const source = plan.action === 'send' ? await sourceOf(letter) : undefined;
    if (dryRun) return;
    await turn();
    if (source !== undefined) {
      const { MessageId } = await sqs.send(new SendMessageCommand(redrivenMessage(letter, source, effects)));
      if (MessageId === undefined) throw new Error('the source queue answered without a message id');
    }
    await pass.remove(letter);
  }

  return async (letter) => {
    const name = claimNameOf(letter, scope);
    let claim: ClaimNow = { status: 'unknown' };
    let plan: Plan = { action: 'send' };
    try {
      claim = await readClaim(name);
      plan = planFor(name, claim);
      await carryOut(letter, plan);
    } catch (thrown) {
      const error = toError(thrown);
      onOutcome({ letter, claim, plan, status: 'failed', error });
      return 'failed';
    }
    const status = dryRun ? 'planned' : 'done';
    onOutcome({ letter, claim, plan, status });
    return status;
  };
}

/** Hands out turns, at most so many a second. */
function createTurns(ratePerSecond: number | undefined): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    if (ratePerSecond === undefined) return;
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1_000 / ratePerSecond;
    await new Promise((resolve) => setTimeout(resolve, at - now));
  };
}
