import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededDuplicates } from '../../../lib/local/duplicates.ts';
import type { Runner } from '../../../lib/local/runner.ts';
import { countsOf } from '../../../lib/redrive/queue.ts';
import type { Order } from './handler.ts';
import { openStage, type Stage } from './stage.ts';

export interface WayBackOptions {
  readonly messages: number;
  readonly poison: number;
  readonly kills: number;
  readonly workers: number;
  readonly maxAttempts: number;
}

/** The state of things at one moment. */
export interface Books {
  readonly completed: number;
  readonly parked: number;
  /** Distinct keys in the dead-letter queue, and messages: a parking may have been sent twice. */
  readonly distinctDeadLetters: number;
  readonly deadLetters: number;
  /** Orders whose captures are not what their claim says: completed once, anything else never. */
  readonly divergences: readonly string[];
}

export interface WayBack {
  readonly kills: number;
  /** Runs of the handler up to the redrive. */
  readonly runs: number;
  readonly before: Books;
  readonly redrives: readonly RedriveRun[];
  readonly after: Books;
}

export interface RedriveRun {
  readonly ended: 'killed' | 'done';
  readonly code: number | null;
  /** Messages left in the dead-letter queue when it ended. */
  readonly left: number;
  readonly output: string;
}

/** Poison among good orders under kills; then the handler is fixed and one redrive, killed twice, brings all back. */
export async function theWayBack(options: WayBackOptions): Promise<WayBack> {
  const stage = await openStage(options.maxAttempts);
  try {
    const orders = drawOrders(options);
    const runner = await stage.open({
      workers: options.workers,
      duplicate: seededDuplicates({ probability: 0.02, seed: 'way-back' }),
    });
    await stage.send(orders);
    const kills = await killWorkers(runner, stage, options);
    await runner.drained();
    await runner.stop();
    const runs = [...stage.starts.values()].reduce((sum, starts) => sum + starts, 0);
    const before = await booksOf(stage, orders);
    const redrives = await redriveKilledTwice(stage, options.poison);
    const fixed = await stage.open({ workers: options.workers, env: { FIXED: 'true' } });
    await fixed.drained();
    await fixed.stop();
    return { kills, runs, before, redrives, after: await booksOf(stage, orders) };
  } finally {
    await stage.stop();
  }
}

/** Every tenth poison is of the kind that takes its worker along, and there is at least one. */
function troubleOf(index: number): NonNullable<Order['trouble']> {
  if (index % 10 === 4) return 'kills its worker';
  return index % 2 === 0 ? 'is poison' : 'throws';
}

/** Poison spread evenly over the orders. */
function drawOrders({ messages, poison }: WayBackOptions): readonly Order[] {
  return Array.from({ length: messages }, (_, place) => {
    const orderId = `order-${place}`;
    const index = Math.floor((place * poison) / messages);
    const isFirstOfItsKind = index !== Math.floor(((place - 1) * poison) / messages);
    return isFirstOfItsKind ? { orderId, trouble: troubleOf(index) } : { orderId };
  });
}

/** Kills workers one after the other while there is work, evenly over the orders that are done. */
async function killWorkers(
  runner: Runner,
  stage: Stage,
  { messages, kills, workers }: WayBackOptions,
): Promise<number> {
  for (let done = 0; done < kills; done += 1) {
    const due = ((done + 1) * messages) / (kills + 2);
    while (stage.starts.size < due) await sleep(5);
    runner.kill(done % workers);
  }
  return kills;
}

async function booksOf(stage: Stage, orders: readonly Order[]): Promise<Books> {
  const rows = new Map((await stage.rows()).map((row) => [row.claim, row.status]));
  const captures = await stage.captures();
  const keys = await stage.deadLetterKeys();
  return {
    completed: [...rows.values()].filter((status) => status === 'completed').length,
    parked: [...rows.values()].filter((status) => status === 'parked').length,
    distinctDeadLetters: new Set(keys).size,
    deadLetters: keys.length,
    divergences: orders
      .map(({ orderId }) => ({
        orderId,
        status: rows.get(`orders#${orderId}`),
        times: captures.get(orderId) ?? 0,
      }))
      .filter(({ status, times }) => times !== (status === 'completed' ? 1 : 0))
      .map(({ orderId, status, times }) => `${orderId} is ${status} and was captured ${times} times`),
  };
}

/**
 * `dlq redrive`, ended by SIGKILL when a third is through and again at two thirds, then left to itself. Slowly, so
 * that the middle is not missed.
 */
async function redriveKilledTwice(stage: Stage, poison: number): Promise<readonly RedriveRun[]> {
  return [
    await redriveUntil(stage, Math.ceil((poison * 2) / 3), poison / 2),
    await redriveUntil(stage, Math.ceil(poison / 3), poison / 2),
    await redriveUntil(stage, undefined, poison / 2),
  ];
}

async function redriveUntil(
  stage: Stage,
  left: number | undefined,
  ratePerSecond: number,
): Promise<RedriveRun> {
  const program = spawn(
    process.execPath,
    ['lib/cli/main.ts', 'dlq', 'redrive', stage.deadLetterQueueUrl, '--rate', String(ratePerSecond)],
    { env: { ...process.env, ...stage.aws.env, SQS_ONCE_TABLE: stage.claimTable, NO_COLOR: '1' } },
  );
  const output = Promise.all([text(program.stdout), text(program.stderr)]);
  const ended = once(program, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  if (left !== undefined) await killWhen(stage, program, left);
  const [code, signal] = await ended;
  return {
    ended: signal === 'SIGKILL' ? 'killed' : 'done',
    code,
    left: await messagesIn(stage),
    output: (await output).join(''),
  };
}

async function killWhen(stage: Stage, program: ChildProcess, left: number): Promise<void> {
  while (program.exitCode === null && (await messagesIn(stage)) > left) await sleep(5);
  program.kill('SIGKILL');
}

async function messagesIn(stage: Stage): Promise<number> {
  const { visible, inFlight } = await countsOf(stage.aws.sqs(), stage.deadLetterQueueUrl);
  return visible + inFlight;
}
