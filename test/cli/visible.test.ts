// Whoever sends a message does not write on the terminal of the person who looks at it.
import { describe, expect, test } from 'vitest';
import { claimFacts } from '../../lib/cli/claim-facts.ts';
import { reportText } from '../../lib/cli/doctor.ts';
import { localLines } from '../../lib/cli/local-lines.ts';
import { verdictOf } from '../../lib/cli/local-verdicts.ts';
import { factsTable, rowsTable } from '../../lib/cli/texts.ts';
import { errorText, jsonText, visible } from '../../lib/cli/visible.ts';
import { row } from '../support/claims.ts';

const codes = [...Array.from({ length: 0x20 }, (_, code) => code), ...span(0x7f, 0x9f)];
const everyControl = String.fromCharCode(...codes);
const clearScreen = '\u001b[2J\u001b]0;owned\u0007\r\n\u009b1A';
const shown = '\\u001b[2J\\u001b]0;owned\\u0007\\u000d\\u000a\\u009b1A';

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

const ourColours = new RegExp(`${String.fromCharCode(0x1b)}\\[\\d+m`, 'g');

/** What a terminal would obey: all but the line ends and the colours, which are ours. */
function orders(text: string): string[] {
  const withoutColours = text.replaceAll(ourColours, '');
  return [...withoutColours].filter((one) => one !== '\n' && codes.includes(one.charCodeAt(0)));
}

test('every control character is shown, and nothing else is changed', () => {
  expect(visible(everyControl)).toBe(
    codes.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join(''),
  );
  expect(visible('grün ✓ \\ 🫖\u00a0')).toBe('grün ✓ \\ 🫖\u00a0');
});

test('JSON has none of them either, and reads as what it was', () => {
  const document = { key: everyControl };
  expect(orders(jsonText(document))).toEqual([]);
  expect(JSON.parse(jsonText(document))).toEqual(document);
});

describe('what an attacker chose is shown, not obeyed', () => {
  test('in tables of messages', () => {
    const table = rowsTable(['key'], [[clearScreen], [{ text: clearScreen, colour: 'yellow' }]]);
    expect(table.split(shown)).toHaveLength(3);
    expect(orders(table)).toEqual([]);
  });

  test('in the facts of a claim', () => {
    const facts = factsTable(claimFacts(row({ lastError: clearScreen, reason: clearScreen }), 0));
    expect(facts.split(shown)).toHaveLength(3);
    expect(orders(facts)).toEqual([]);
  });

  test('in an error, in the findings of the doctor, in a verdict', () => {
    const finding = { id: 'x', level: 'error', what: clearScreen, why: clearScreen, fix: clearScreen };
    const texts = [
      errorText(new Error(clearScreen)),
      reportText({ name: clearScreen, findings: [finding as never] }),
      verdictOf([{ event: 'rejected', reason: clearScreen, error: '\u0007no\r' } as never]),
      ...localLines(5)({ type: 'trouble', error: new Error(clearScreen) } as never, new Date(0)),
    ];
    expect(texts.flatMap(orders)).toEqual([]);
    for (const text of texts) expect(text).toContain(shown);
  });
});
