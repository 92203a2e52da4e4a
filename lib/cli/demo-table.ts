import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { DemoOptions } from '../local/demo/plan.ts';
import type { Play, Verdict } from '../local/demo/play.ts';
import { consumers } from '../local/demo/stage.ts';
import type { Tally } from '../local/demo/tally.ts';
import { counted, shownDivergences } from './texts.ts';

/** What happened, in numbers, and every divergence in a sentence. */
export function demoTable(options: DemoOptions, play: Play, verdict: Verdict): string {
  const names = options.withoutClaims ? (['payments'] as const) : consumers;
  const tallies = names.map((name) => play.cast.tallies[name]);
  const { divergences } = verdict;
  const table = new Table({
    head: ['', ...names.map((name) => styleText('bold', name))],
    colAligns: ['left', ...names.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const [label, count] of countsOf(options)) table.push([label, ...tallies.map(count)]);
  const totals = totalsOf(options, play, verdict);
  for (const [label, value] of totals) {
    table.push([label, { colSpan: names.length, content: String(value), hAlign: 'right' }]);
  }
  return [
    '',
    table.toString(),
    '',
    ...rejectionsOf(tallies),
    ...shownDivergences(divergences),
    conclusionOf(options, play, verdict),
  ].join('\n');
}

function totalsOf(
  { poison }: DemoOptions,
  { cast: { kills } }: Play,
  verdict: Verdict,
): [string, number | string][] {
  const { ledger, captures, wayBack } = verdict.evidence;
  const divergences = verdict.divergences.length;
  const wayBackTotals: [string, number][] = [
    ['parked', wayBack.parked],
    ['redriven', wayBack.redriven],
  ];
  return [
    ['workers killed', kills],
    ...(poison > 0 ? wayBackTotals : []),
    ['gateway calls', Object.values(ledger.callsByOrder).reduce((sum, calls) => sum + calls, 0)],
    ['gateway charges', ledger.charges.length],
    ['captures', captures.length],
    ['divergences', styleText(['bold', divergences === 0 ? 'green' : 'red'], String(divergences))],
  ];
}

type Count = (tally: Tally) => number;

function countsOf({ withoutClaims }: DemoOptions): [label: string, count: Count][] {
  const outside: [string, Count][] = [
    ['messages', (tally) => tally.messages],
    ['deliveries', (tally) => tally.deliveries],
    ['redeliveries', (tally) => tally.deliveries - tally.messages],
  ];
  if (withoutClaims) return outside;
  return [
    ...outside,
    ['duplicates answered', (tally) => tally.logged('duplicate')],
    ['in flight, returned', (tally) => tally.logged('in-flight')],
    ['takeovers', (tally) => tally.logged('taken-over')],
    ['early or failed, returned', (tally) => tally.logged('failed')],
    ['late, rejected', (tally) => tally.logged('rejected')],
    ['follow-ups sent', (tally) => tally.logged('follow-up-sent')],
  ];
}

/** What the handler logged of a message that came out of order. */
function rejectionsOf(tallies: readonly Tally[]): string[] {
  return tallies
    .flatMap((tally) => tally.rejections)
    .map((reason) => `out of order, nothing applied: ${styleText('dim', reason)}`);
}

function conclusionOf(
  { messages }: DemoOptions,
  { cast: { tallies, kills } }: Play,
  verdict: Verdict,
): string {
  if (verdict.divergences.length === 0) {
    const { deliveries } = tallies.payments;
    return styleText(
      'green',
      `${messages} orders, ${deliveries} deliveries, ${counted(kills, 'worker')} killed: each order was charged once.`,
    );
  }
  const { charges } = verdict.evidence.ledger;
  const orders = Map.groupBy(charges, ({ orderId }) => orderId);
  const twice = [...orders.values()].filter(({ length }) => length > 1);
  const excessCents = twice
    .flatMap(([, ...more]) => more)
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (twice.length === 0)
    return styleText('red', 'No order was charged twice, and yet the books do not agree.');
  return styleText(
    'red',
    `${twice.length} of ${messages} orders were charged more than once, ${(excessCents / 100).toFixed(2)} too much in all.`,
  );
}
