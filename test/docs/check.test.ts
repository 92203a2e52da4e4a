// `npm run docs:check` complains of what it is there for: each kind of mistake, planted in a page of its own.
import { marked } from 'marked';
import { expect, test } from 'vitest';
import { brokenCommands } from '../../scripts/docs/commands.ts';
import { brokenDiagrams, diagrams } from '../../scripts/docs/diagrams.ts';
import { brokenLinks } from '../../scripts/docs/links.ts';
import { type Page, pages } from '../../scripts/docs/pages.ts';
import { planned } from '../../scripts/docs/plan.ts';
import { untoldNames } from '../../scripts/docs/public-names.ts';
import { missingLine } from '../../scripts/docs/same-answer.ts';
import { namelessBlocks, shownCommands, spokenCommands } from '../../scripts/docs/shown.ts';
import { unknownNames } from '../../scripts/docs/told-names.ts';

const fence = '```';

function page(text: string): Page {
  return { path: 'docs/planted.md', text, tokens: marked.lexer(text) };
}

test('a command that nobody runs', () => {
  const shown = shownCommands(page(`${fence}sh\nsqs-once doctor --queue payments\n${fence}\n`));
  expect(planned(shown).complaints).toContain(
    'docs/planted.md:2: nobody runs: sqs-once doctor --queue payments (scripts/docs/plan.ts)',
  );
});

test('an entry of the plan that no page shows', () => {
  expect(planned([]).complaints).toContain(
    'scripts/docs/plan.ts: no page shows  npm run demo -- --without-claims',
  );
});

test('an option that the command does not have, also inside a sentence', () => {
  const spoken = spokenCommands(page('Then `sqs-once dlq list payments-dlq --colour` tells.'));
  expect(brokenCommands(spoken)).toEqual(['docs/planted.md:1: sqs-once list has no option --colour']);
});

test('an answer that is another one: a row, a line, an order', () => {
  expect(missingLine(['│ a │ parked │'], '│ a │ completed │')).toBe('│a│parked│');
  expect(missingLine(['4 messages.'], '3 messages.')).toBe('4 messages.');
  expect(missingLine(['first', 'second'], 'second\nfirst')).toBe('second');
});

test('an answer that differs in ids and moments alone is the same', () => {
  const shown = '│ 21fbd619-bdc3-4dda-8e23-7483ed176b09 │ 3 seconds │ parked │';
  expect(
    missingLine([shown], '│ f7e32e3e-66ae-4d50-9878-4a91189078af │ 12 seconds │ parked │'),
  ).toBeUndefined();
});

test('a diagram that cannot be read', async () => {
  const found = diagrams([page(`${fence}mermaid\nflowchart LR\n  a[Queue --> b\n${fence}\n`)]);
  expect(await brokenDiagrams(found)).toEqual([expect.stringContaining('docs/planted.md:2: Parse error')]);
});

test('a name, a variable or a file that is not there', () => {
  const text =
    '`leaseMinutes`, `SQS_ONCE_LEASE`, `lib/lease-end.ts`, `attempt.effectId(name)` and `leaseSeconds`';
  expect(unknownNames([page(text)])).toEqual([
    'docs/planted.md: nobody knows leaseMinutes',
    'docs/planted.md: nobody knows SQS_ONCE_LEASE',
    'docs/planted.md: there is no lib/lease-end.ts',
    'docs/planted.md: nobody knows attempt.effectId(name)',
  ]);
});

test('a public name that no page tells of', () => {
  const untold = untoldNames([page('`consumeOnce`')]);
  expect(untold).toContain('lib/options.ts: no page tells of fifoPoison');
  expect(untold).toContain('lib/observe/events.ts: no page tells of park-failed');
  expect(untold).toContain('lib/observe/metrics.ts: no page tells of ParkFailed');
  expect(untold).toContain('lib: no page tells of SQS_ONCE_CLAIM');
  expect(untold).not.toContain('lib/index.ts: no page tells of consumeOnce');
});

test('a block that does not say what it is, and a link that leads nowhere', () => {
  expect(namelessBlocks(page(`${fence}\nsqs-once\n${fence}\n`))).toHaveLength(1);
  expect(brokenLinks(page('[there](nowhere.md)'))).toEqual(['docs/planted.md: nowhere.md is not there']);
});

test('every page is looked at', () => {
  expect(pages().map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/names.md']));
});
