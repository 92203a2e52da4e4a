import { type Chaos, openChaos, type Verdict } from '../local/chaos/chaos.ts';
import type { ChaosOptions } from '../local/chaos/options.ts';
import { step } from './step.ts';
import { counted } from './texts.ts';

/** A run and what it came to. */
export interface ChaosResult {
  readonly chaos: Chaos;
  readonly verdict: Verdict;
  /** From the first message sent until nothing was left to do. */
  readonly durationMillis: number;
}

/** Runs chaos and shows how it gets on. Everything it started has ended when it resolves. */
export async function performChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { messages, workers } = options;
  // Far more than it takes, so that a run that is stuck ends all the same.
  const signal = AbortSignal.timeout(180_000 + messages * 60);
  const chaos = await step(`Start DynamoDB, SQS, a gateway and ${counted(workers, 'worker')}`, () =>
    openChaos(options),
  );
  try {
    const startedAt = performance.now();
    await step(
      `Deliver ${counted(messages, 'message')} while things go wrong`,
      () =>
        chaos.deliver(signal).catch((cause) => {
          throw new Error('The queue did not run dry in time', { cause });
        }),
      () => standOf(chaos),
    );
    const durationMillis = performance.now() - startedAt;
    const verdict = await step('Compare tables, queues and ledger', () => chaos.judge());
    return { chaos, verdict, durationMillis };
  } finally {
    await chaos.stop();
  }
}

function standOf({ tally, director, drops }: Chaos): string {
  const crashed = [...director.crashes.values()].reduce((sum, count) => sum + count, 0);
  return `${tally.told('completed')} completed, ${tally.deliveries} deliveries, ${director.kills} killed, ${crashed} crashed, ${director.pauses} paused, ${drops} replies lost`;
}
