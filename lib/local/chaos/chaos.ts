import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowKey } from '../../arrive/row-key.ts';
import { derivedKey } from '../../handle/effect-key.ts';
import type { Runner } from '../runner.ts';
import { bodiesOf, entriesOf } from './bodies.ts';
import { type Check, findFunction, runCheck, type SentMessage } from './check.ts';
import { createDirector, type Director } from './director.ts';
import { claimDivergences, paymentDivergences } from './divergences.ts';
import { createEnds, type Ends } from './ends.ts';
import { type Evidence, gatherEvidence } from './evidence.ts';
import { type Journal, openJournal } from './journal.ts';
import { type MemoryUse, watchMemory } from './memory.ts';
import type { ChaosOptions } from './options.ts';
import { paymentScope } from './order.ts';
import { drawPlan } from './plan.ts';
import { collectReceipts } from './receipts.ts';
import { sendInPace } from './send.ts';
import { createTally, type Tally } from './tally.ts';
import { comesTwiceIn, pauseMillisOf, startWorkers } from './workers.ts';
import { openWorld } from './world.ts';

/** What a run came to. */
export interface Verdict {
  readonly evidence: Evidence;
  readonly divergences: readonly string[];
}

/** A run of messages through a world in which things go wrong. */
export interface Chaos {
  readonly tally: Tally;
  readonly director: Pick<Director, 'kills' | 'pauses' | 'crashes'>;
  /** Replies lost so far. */
  readonly drops: number;
  /** Sends the messages; resolves when nothing is left to do, rejects when it takes longer than the signal. */
  deliver(signal: AbortSignal): Promise<void>;
  judge(): Promise<Verdict>;
  /** Everything that happened, line by line in a file that goes with `stop`; complete once judged. */
  readonly journalFile: string;
  /** What was sent. */
  readonly messages: readonly SentMessage[];
  /** Of this process, while the messages were delivered. */
  readonly memory: MemoryUse;
  /** Ends every process that was started. */
  stop(): Promise<void>;
}

/** Waiting in the queue for each worker: enough that none is idle. */
const messagesAhead = 6;

/** Starts everything; nothing is sent yet. */
export async function openChaos(options: ChaosOptions): Promise<Chaos> {
  const ends = createEnds();
  try {
    return await setUp(options, ends);
  } catch (error) {
    await ends.run();
    throw error;
  }
}

async function setUp(options: ChaosOptions, ends: Ends): Promise<Chaos> {
  const plan = drawPlan(options);
  const bodies = await bodiesOf(options, plan);
  const check = options.check === undefined ? undefined : await findFunction<Check>(options.check);
  const folder = await mkdtemp(join(tmpdir(), 'sqs-once-chaos-'));
  ends.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const journal: Journal = openJournal(join(folder, 'journal.ndjson'));
  ends.add(() => journal.close());
  let drops = 0;
  const world = await openWorld(options, folder, (broken) => {
    if (broken.kind === 'drop-reply') drops += 1;
    journal.broke(broken);
  });
  ends.add(() => world.stop());
  let runner: Runner | undefined;
  const director = createDirector({
    mischief: plan.mischief,
    workers: options.workers,
    pauseMillis: pauseMillisOf(options),
    comesTwice: comesTwiceIn(options),
    // Nothing is due before the first delivery, and nothing is delivered before the runner is there.
    hands: () => ({ runner: runner as Runner, proxy: world.proxy }),
  });
  const tally = createTally();
  runner = await startWorkers(options, world, (event) => {
    tally.hear(event);
    journal.hear(event);
    director.hear(event);
  });
  const workers = runner;
  ends.add(() => workers.stop());
  ends.add(() => director.stop());
  const sqs = world.aws.sqs();
  const receipts = collectReceipts(sqs, world.receiptsUrl, receiptKeyOf);
  ends.add(() => receipts.stop());
  const memory = watchMemory();
  ends.add(() => memory.stop());
  let messages: readonly SentMessage[] = [];
  return {
    tally,
    director,
    journalFile: journal.file,
    get drops() {
      return drops;
    },
    get messages() {
      return messages;
    },
    get memory() {
      return memory.use();
    },
    async deliver(signal) {
      const entries = entriesOf(bodies, plan, options.fifo);
      const ahead = options.workers * messagesAhead;
      const ids = await sendInPace(sqs, world.queues.queueUrl, entries, ahead, signal);
      messages = ids.map((messageId, index) => ({ number: index + 1, body: bodies[index], messageId }));
      await workers.drained(signal);
      director.stop();
      await receipts.drained();
      memory.stop();
    },
    async judge() {
      await journal.close();
      const evidence = await gatherEvidence(world, receipts);
      const ids = messages.map(({ messageId }) => messageId);
      const divergences =
        options.handler === undefined
          ? paymentDivergences(plan, ids, evidence, options)
          : [...claimDivergences(evidence)];
      const local = { dynamo: world.aws.dynamo(), sqs };
      const theirs = check === undefined ? [] : await runCheck(check, messages, local);
      return { evidence, divergences: [...divergences, ...theirs] };
    },
    stop: () => ends.run(),
  };
}

/** The key the follow-up of an order travels under. */
function receiptKeyOf(orderId: string): string {
  return derivedKey(['follow-up', rowKey(paymentScope, orderId), 0]);
}
