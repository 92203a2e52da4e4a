import { styleText } from 'node:util';
import Table from 'cli-table3';
import type { ChaosResult } from './chaos-steps.ts';
import { plain, rowsTable, shownDivergences } from './texts.ts';

/** What happened, in numbers, and every divergence in a sentence. */
export function chaosTable({ facts, points, divergences, messages }: ChaosResult): string {
  const table = new Table({ style: plain, colAligns: ['left', 'right', 'left'] });
  table.push(...facts.map(({ name, value, meaning }) => [name, value, styleText('dim', meaning)]));
  return [
    '',
    table.toString(),
    '',
    ...pointsTable(points),
    ...shownDivergences(divergences),
    conclusion(messages, divergences.length),
  ].join('\n');
}

function pointsTable(points: ChaosResult['points']): string[] {
  if (points.length === 0) return [];
  const rows = points.map(({ name, says, times }) => [
    name,
    says,
    times === 0 ? { text: 'not reached', colour: 'yellow' as const } : String(times),
  ]);
  return [rowsTable(['point', 'the worker ends', 'times'], rows), ''];
}

function conclusion(messages: number, divergences: number): string {
  return divergences === 0
    ? styleText('green', `${messages} messages, nothing lost and nothing done twice.`)
    : styleText('red', `${divergences} divergences: something was lost or done twice.`);
}
