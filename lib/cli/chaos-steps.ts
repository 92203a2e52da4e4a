import { type Chaos, openChaos } from '../local/chaos/chaos.ts';
import { factsOf, pointsOf } from '../local/chaos/facts.ts';
import type { ChaosOptions } from '../local/chaos/options.ts';
import { type ReportFacts, writeReport } from '../local/report/write-report.ts';
import { interrupted } from './interrupted.ts';
import { step } from './step.ts';
import { counted } from './texts.ts';

/** What a run came to. */
export interface ChaosResult extends ReportFacts {
  /** Whether nothing was left to do in the end. */
  readonly drained: boolean;
}

/**
 * Runs chaos and shows how it gets on. Everything it started has ended when it resolves.
 * @param onResult is told before the report is written, so that it is not lost with it
 * @param reportFile where to write the report, if anywhere
 */
export async function performChaos(
  options: ChaosOptions,
  onResult: (result: ChaosResult) => void,
  reportFile: string | undefined,
): Promise<void> {
  const { messages, workers } = options;
  // Far more than it takes, so that a run that is stuck ends all the same.
  const limit = AbortSignal.timeout(180_000 + messages * 90);
  const interruption = interrupted();
  const chaos = await step(`Start DynamoDB, SQS, a gateway and ${counted(workers, 'worker')}`, () =>
    openChaos(options),
  );
  try {
    const startedAt = performance.now();
    const drained = await step(
      `Deliver ${counted(messages, 'message')} while things go wrong`,
      () => deliver(chaos, limit, interruption),
      () => standOf(chaos),
    );
    const durationMillis = performance.now() - startedAt;
    const facts = await step('Compare tables, queues and ledger', () =>
      judge(options, chaos, durationMillis),
    );
    onResult({ ...facts, drained });
    if (reportFile !== undefined) {
      const ids = chaos.messages.map(({ messageId }) => messageId);
      await step(`Write ${reportFile}`, () => writeReport(reportFile, chaos.journalFile, ids, facts));
    }
  } finally {
    await chaos.stop();
  }
}

/** What could not be drained in time is judged all the same: it shows what is stuck. */
async function deliver(chaos: Chaos, limit: AbortSignal, interruption: AbortSignal): Promise<boolean> {
  try {
    await chaos.deliver(AbortSignal.any([limit, interruption]));
    return true;
  } catch (error) {
    if (interruption.aborted) throw new Error('Interrupted.', { cause: error });
    if (limit.aborted) return false;
    throw error;
  }
}

async function judge(options: ChaosOptions, chaos: Chaos, durationMillis: number): Promise<ReportFacts> {
  const verdict = await chaos.judge();
  const { seed, messages, workers } = options;
  return {
    seed,
    messages,
    workers,
    facts: factsOf(options, chaos, verdict, durationMillis),
    points: pointsOf(options, chaos),
    divergences: verdict.divergences,
  };
}

function standOf({ tally, director, drops }: Chaos): string {
  const crashed = [...director.crashes.values()].reduce((sum, count) => sum + count, 0);
  return `${tally.told('completed')} completed, ${tally.deliveries} deliveries, ${director.kills} killed, ${crashed} crashed, ${director.pauses} paused, ${drops} replies lost`;
}
