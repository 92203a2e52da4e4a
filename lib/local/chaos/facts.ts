import type { Fact } from '../report/data.ts';
import type { Chaos, Verdict } from './chaos.ts';
import type { ChaosOptions } from './options.ts';
import { crashPoints } from './points.ts';

/** The numbers of a run, each with what it means. */
export function factsOf(
  { messages, handler }: ChaosOptions,
  { tally, director, drops, memory }: Chaos,
  verdict: Verdict,
  durationMillis: number,
): readonly Fact[] {
  const { deliveries, redeliveries, timeouts, throws } = tally;
  const { captures, claims, ledger } = verdict.evidence;
  const atPoints = sumOf(director.crashes.values());
  const parked = claims.filter(({ status }) => status === 'parked').length;
  return [
    fact('messages', messages, 'sent to the queue'),
    fact('delivered', deliveries, `to a worker, ${shown(redeliveries)} of them not for the first time`),
    fact('kills', director.kills + atPoints, `processes ended, ${shown(atPoints)} of them at named points`),
    fact('pauses', director.pauses, 'processes stopped for longer than their lease, then continued'),
    fact('dropped replies', drops, 'calls that landed and whose caller was never told'),
    fact('timed out', timeouts, 'invocations that took too long, and were killed'),
    ...(throws.count > 0
      ? [fact('threw', throws.count, `whole batches that failed, the last with ${throws.last}`)]
      : []),
    fact('takeovers', tally.told('taken-over'), 'claims after an attempt that never said how it ended'),
    fact('fenced out', tally.told('fenced-out'), 'attempts that came late and wrote nothing'),
    ...(handler === undefined ? booksOf(captures.length, ledger) : []),
    fact('parked', parked, 'messages that cannot succeed, in the dead-letter queue'),
    fact('divergences', verdict.divergences.length, 'differences between what was ordered and what is there'),
    fact('seconds', Math.round(durationMillis / 1_000), 'from the first message to the last'),
    {
      name: 'memory',
      value: `${memory.kept.at(-1)} MB`,
      meaning: `kept by the harness at the end; by quarters of the run ${memory.kept.join(', ')} kept, ${memory.resident.join(', ')} resident`,
    },
  ];
}

function booksOf(captures: number, ledger: Verdict['evidence']['ledger']): Fact[] {
  return [
    fact('captures', captures, 'payments written down'),
    fact('gateway calls', sumOf(Object.values(ledger.callsByOrder)), 'requests for money, repeated ones too'),
    fact('gateway charges', ledger.charges.length, 'times that money was taken'),
  ];
}

/** How often workers ended at the points that were asked for. */
export function pointsOf({ crashAt }: ChaosOptions, { director }: Chaos) {
  return crashAt.map((name) => ({
    name,
    says: crashPoints[name].says,
    times: director.crashes.get(name) ?? 0,
  }));
}

function fact(name: string, value: number, meaning: string): Fact {
  return { name, value: shown(value), meaning };
}

function shown(value: number): string {
  return value.toLocaleString('en');
}

function sumOf(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
