import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDirector, type Director } from '../../../lib/local/chaos/director.ts';
import { createTally, type Tally } from '../../../lib/local/chaos/tally.ts';
import { seededDuplicates } from '../../../lib/local/duplicates.ts';
import type { LocalAws } from '../../../lib/local/local-aws.ts';
import { sendAll } from '../../../lib/local/queue.ts';
import { type Runner, startRunner } from '../../../lib/local/runner.ts';
import { booksDue, divergences, readBooks } from './books.ts';
import { drawKills } from './mischief.ts';
import { drawOrders, type Hop, hops } from './orders.ts';
import { type ClaimMode, functionTimeoutSeconds, openStage, queueOf, type Stage } from './stage.ts';

export interface ChainOptions {
  readonly claim: ClaimMode;
  readonly messages: number;
  /** Workers killed, over all hops. */
  readonly kills: number;
  /** Worker processes of each hop. */
  readonly workers: number;
  readonly seed: number;
  readonly withinMillis: number;
}

/** What became of a chain. */
export interface Chain {
  readonly hops: ReadonlyMap<Hop, HopReport>;
  readonly divergences: readonly string[];
}

export interface HopReport {
  readonly tally: Tally;
  /** Workers killed wherever they were, and at the points where a chain could break. */
  readonly kills: number;
  readonly crashes: number;
}

/** Share of the deliveries that come a second time, many while the first still runs. */
const duplicateShare = 0.2;

/** Sends orders down three consumers whose workers are killed, and compares the books in the end. */
export async function runChain(aws: LocalAws, options: ChainOptions): Promise<Chain> {
  const orders = drawOrders(options.messages, options.seed);
  const stage = await openStage(aws, options.claim);
  const compiled = await mkdtemp(join(tmpdir(), 'sqs-once-chain-'));
  const actors: Actor[] = [];
  try {
    // One after the other: all at once would take a small machine longer than a function has to load.
    for (const hop of hops) actors.push(await startHop(hop, stage, compiled, options));
    await sendAll(
      aws.sqs(),
      queueOf(stage.queues, 'orders').queueUrl,
      orders.map((order) => ({ MessageBody: JSON.stringify(order) })),
    );
    // A message is acknowledged after its follow-ups are sent, so a chain runs dry from its beginning.
    const signal = AbortSignal.timeout(options.withinMillis);
    for (const { runner } of actors) await runner.drained(signal);
    return {
      hops: new Map(actors.map(({ hop, tally, director }) => [hop, reportOf(tally, director)])),
      divergences: divergences(booksDue(orders), await readBooks(stage)),
    };
  } finally {
    for (const { director } of actors) director.stop();
    await Promise.all(actors.map(({ runner }) => runner.stop()));
    await rm(compiled, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Actor {
  readonly hop: Hop;
  readonly runner: Runner;
  readonly director: Director;
  readonly tally: Tally;
}

async function startHop(hop: Hop, stage: Stage, compiled: string, options: ChainOptions): Promise<Actor> {
  const { workers, seed } = options;
  let running: Runner | undefined;
  const director = createDirector({
    mischief: drawKills(options, hop),
    workers,
    pauseMillis: [0, 0],
    hands: () => {
      if (running === undefined) throw new Error(`${hop} was told of a delivery before it was open`);
      return { runner: running, proxy: { breakNext: () => {} } };
    },
  });
  const tally = createTally();
  const runner = await startRunner({
    aws: stage.aws,
    queueUrl: queueOf(stage.queues, hop).queueUrl,
    handler: `test/e2e/chain/handlers.${hop}`,
    workers,
    timeoutSeconds: functionTimeoutSeconds,
    env: { ...stage.envOf(hop), NODE_COMPILE_CACHE: compiled },
    duplicate: seededDuplicates({ probability: duplicateShare, seed }),
    onEvent(event) {
      tally.hear(event);
      director.hear(event);
    },
  });
  running = runner;
  return { hop, runner, director, tally };
}

function reportOf(tally: Tally, { kills, crashes }: Director): HopReport {
  return { tally, kills, crashes: [...crashes.values()].reduce((sum, count) => sum + count, 0) };
}
