import { styleText } from 'node:util';
import Table from 'cli-table3';
import { durationInWords } from '../window.ts';
import { visible } from './visible.ts';

/** The library's colours do not ask whether anybody can see them. */
export const plain = { head: [], border: [], compact: true };

/** What a table shows: text from anywhere, whose control characters are shown, in a colour of ours if any. */
export type Cell = string | { readonly text: string; readonly colour: 'yellow' };

/** A table with a head, for people. */
export function rowsTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const table = new Table({ head: head.map((name) => styleText('bold', name)), style: plain });
  table.push(...rows.map((row) => row.map(cellText)));
  return table.toString();
}

/** One thing and what is known of it. What is undefined is left out. */
export function factsTable(facts: Readonly<Record<string, string | number | undefined>>): string {
  const table = new Table({ style: plain });
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) table.push({ [name]: visible(String(value)) });
  }
  return table.toString();
}

function cellText(cell: Cell): string {
  return typeof cell === 'string' ? visible(cell) : styleText(cell.colour, visible(cell.text));
}

/** `3 days ago, 2026-11-27T10:00:00.000Z`. */
export function momentText(epochMillis: number | undefined, nowMillis: number): string | undefined {
  if (epochMillis === undefined || !Number.isFinite(epochMillis)) return undefined;
  const seconds = Math.round((nowMillis - epochMillis) / 1_000);
  const away = seconds < 0 ? `in ${roughly(-seconds)}` : `${roughly(seconds)} ago`;
  return `${new Date(epochMillis).toISOString()}, ${away}`;
}

/** The largest unit and the next one: `3 days 4 hours`. */
export function roughly(seconds: number): string {
  return durationInWords(seconds).split(' ').slice(0, 4).join(' ');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const mostShown = 10;

/** The first divergences, a line each, and how many more there are. */
export function shownDivergences(divergences: readonly string[]): string[] {
  const rest = divergences.length - mostShown;
  return [
    ...divergences.slice(0, mostShown).map((divergence) => styleText('red', visible(divergence))),
    ...(rest > 0 ? [styleText('red', `and ${rest} more`)] : []),
  ];
}
