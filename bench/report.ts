import type { Row } from './measure.ts';
import type { Spread } from './statistics.ts';

/** Where and when figures were taken: without that they mean nothing. */
export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly peer: string;
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly seconds: number;
}

export function markdownOf(rows: readonly Row[], circumstances: Circumstances): string {
  return [
    '# Benchmark results',
    '',
    'Written by `npm run bench`; do not edit. Every side in turns on one machine and one local DynamoDB:',
    'compare figures of one run with each other, and nothing else. A figure is a median, the middle half of',
    'the samples in brackets; the ratio is ours over the peer’s, round by round. Late answers and a few',
    'megabytes are up to the moment of a collection: their ratios differ from run to run.',
    '',
    ...factsOf(circumstances),
    '',
    '| measure | figures | ours ÷ Powertools | aim |',
    '|---|---|---|---|',
    ...rows.map(lineOf),
    '',
    ...unmetOf(rows),
  ].join('\n');
}

function unmetOf(rows: readonly Row[]): string[] {
  const unmet = rows.flatMap(({ measure, aim, obstacle }) =>
    aim?.met === false ? [{ measure, aim, obstacle }] : [],
  );
  if (unmet.length === 0) return [];
  return [
    '## Aims not met',
    '',
    ...unmet.flatMap(({ measure, aim, obstacle }) => [
      `**${measure}** (${aim.text}). ${obstacle?.reason ?? 'Nobody has said why.'}`,
      '',
      ...(obstacle?.profile ?? []).map((line) => `- ${line}`),
      ...(obstacle === undefined || obstacle.profile.length === 0 ? [] : ['']),
    ]),
  ];
}

function factsOf(circumstances: Circumstances): string[] {
  const { date, machine, node, peer, loadBefore, loadAfter, seconds } = circumstances;
  return [
    `- ${date}, ${machine}, Node.js ${node}, beside ${peer}`,
    `- one-minute load when it began ${loadBefore.toFixed(1)}, when it ended ${loadAfter.toFixed(1)}; it took ${Math.round(seconds)} s`,
  ];
}

function lineOf({ measure, unit, figures, ratio, aim }: Row): string {
  const all = Object.entries(figures).map(([side, spread]) => `${side} ${spreadText(spread)} ${unit}`);
  const aimText = aim === undefined ? '' : `${aim.text}: ${aim.met ? 'met' : '**not met**'}`;
  return `| ${measure} | ${all.join('<br>')} | ${ratio === undefined ? '' : spreadText(ratio)} | ${aimText} |`;
}

function spreadText({ median, lowest, highest }: Spread): string {
  const around = lowest === highest ? '' : ` (${shown(lowest)}–${shown(highest)})`;
  return `${shown(median)}${around}`;
}

function shown(figure: number): string {
  if (Math.abs(figure) >= 100) return Math.round(figure).toLocaleString('en');
  return String(Number(figure.toPrecision(3)));
}
