import { fileURLToPath } from 'node:url';
import { seededDuplicates } from '../duplicates.ts';
import { onceEnvironment } from '../once-env.ts';
import { type Runner, startRunner } from '../runner.ts';
import { createKiller, type Killer } from './killer.ts';
import type { DemoOptions, Plan } from './plan.ts';
import { type ConsumerName, consumers, functionTimeoutSeconds, type Stage, tables } from './stage.ts';
import { createTally, type Tally } from './tally.ts';

/** The consumers at work, who counts what they do, and who kills them. */
export interface Cast {
  readonly runners: ReadonlyMap<ConsumerName, Runner>;
  readonly tallies: Readonly<Record<ConsumerName, Tally>>;
  /** Workers killed so far. */
  readonly kills: number;
  /** Charges the gateway took so far. */
  readonly charges: number;
  /** The gateway took money, and the worker who asked for it still waits. */
  charged(orderId: string): void;
  stop(): Promise<void>;
}

const folder = fileURLToPath(new URL('../../../handlers/', import.meta.url));
const handlers: Readonly<Record<ConsumerName, string>> = {
  payments: `${folder}capture-payment.handler`,
  'payment-events': `${folder}payment-events.handler`,
  receipts: `${folder}send-receipt.handler`,
};
const naiveHandler = `${folder}capture-payment-naive.handler`;

/** Share of the deliveries that come a second time, many while the first still runs. */
const duplicateShare = 0.25;

/** Starts the three consumers, or the naive one alone. */
export async function startCast(stage: Stage, plan: Plan, options: DemoOptions): Promise<Cast> {
  const tallies = { payments: createTally(), 'payment-events': createTally(), receipts: createTally() };
  const runners = new Map<ConsumerName, Runner>();
  const killer = createKiller(plan.killAtCharge, (worker) => runners.get('payments')?.kill(worker));
  const names = options.withoutClaims ? (['payments'] as const) : consumers;
  const stop = async () => {
    await Promise.all([...runners.values()].map((runner) => runner.stop()));
  };
  try {
    // One after the other: all at once would take a small machine longer than a function has to load.
    for (const name of names) {
      runners.set(name, await startConsumer(name, options, stage, tallies[name], killer));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    runners,
    tallies,
    get kills() {
      return killer.kills;
    },
    get charges() {
      return killer.charges;
    },
    charged: (orderId) => killer.charged(orderId),
    stop,
  };
}

function startConsumer(
  name: ConsumerName,
  { workers, seed, withoutClaims }: DemoOptions,
  { aws, queues, env }: Stage,
  tally: Tally,
  killer: Killer,
): Promise<Runner> {
  return startRunner({
    aws,
    queueUrl: queues[name].queueUrl,
    handler: withoutClaims ? naiveHandler : handlers[name],
    workers,
    timeoutSeconds: functionTimeoutSeconds,
    env: { ...env, ...onceEnvironment(tables.claims, queues[name]) },
    duplicate: seededDuplicates({ probability: duplicateShare, seed }),
    onEvent(event) {
      tally.hear(event);
      if (name === 'payments') killer.hear(event);
    },
  });
}
