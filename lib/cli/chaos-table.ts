import { styleText } from 'node:util';
import type { ChaosOptions } from '../local/chaos/options.ts';
import { type CrashPointName, crashPoints } from '../local/chaos/points.ts';
import type { ChaosResult } from './chaos-steps.ts';
import { factsTable, rowsTable, shownDivergences } from './texts.ts';

/** What happened, in numbers, and every divergence in a sentence. */
export function chaosTable(options: ChaosOptions, result: ChaosResult): string {
  const { divergences } = result.verdict;
  return [
    '',
    factsTable(headline(options, result)),
    ...crashTable(options, result),
    '',
    ...shownDivergences(divergences),
    conclusion(options, result),
  ].join('\n');
}

/** The numbers of a run, for the table and the report. */
export function headline(
  { messages, handler, crashAt }: ChaosOptions,
  { chaos, verdict, durationMillis }: ChaosResult,
): Record<string, string | number | undefined> {
  const { tally, director, drops } = chaos;
  const { captures, claims, ledger } = verdict.evidence;
  const ours = handler === undefined;
  const atPoints = [...director.crashes.values()].reduce((sum, count) => sum + count, 0);
  const calls = Object.values(ledger.callsByOrder).reduce((sum, count) => sum + count, 0);
  return {
    messages,
    delivered: `${tally.deliveries} (${tally.redeliveries} of them redeliveries)`,
    kills:
      crashAt.length > 0
        ? `${director.kills + atPoints} (${atPoints} of them at named points)`
        : director.kills,
    pauses: director.pauses,
    'dropped replies': drops,
    'timed out': tally.timeouts,
    takeovers: tally.told('taken-over'),
    'fenced out': tally.told('fenced-out'),
    captures: ours ? captures.length : undefined,
    'gateway calls': ours ? calls : undefined,
    'gateway charges': ours ? ledger.charges.length : undefined,
    parked: claims.filter(({ status }) => status === 'parked').length,
    divergences: verdict.divergences.length,
    seconds: Math.round(durationMillis / 1_000),
    "harness's memory": `${chaos.memoryMegabytes.join(', ')} MB in the quarters of the run`,
  };
}

function crashTable({ crashAt }: ChaosOptions, { chaos }: ChaosResult): string[] {
  if (crashAt.length === 0) return [];
  const rows = crashAt.map((point: CrashPointName) => {
    const count = chaos.director.crashes.get(point) ?? 0;
    return [point, crashPoints[point].says, count === 0 ? styleText('yellow', 'not reached') : String(count)];
  });
  return ['', rowsTable(['point', 'the worker ends', 'times'], rows)];
}

function conclusion({ messages }: ChaosOptions, { verdict }: ChaosResult): string {
  const count = verdict.divergences.length;
  return count === 0
    ? styleText('green', `${messages} messages, nothing lost and nothing done twice.`)
    : styleText('red', `${count} divergences: something was lost or done twice.`);
}
