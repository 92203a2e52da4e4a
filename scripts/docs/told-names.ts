import { existsSync, readFileSync } from 'node:fs';
import { type Block, blocks, files, type Page, root, walk } from './pages.ts';

/** Names of others, and of the reader's own code, that the pages use. */
const foreign: readonly string[] = [
  'nodejs22',
  'vX',
  // TypeScript's ways to resolve modules, and Middy's option.
  'node16',
  'nodenext',
  'bundler',
  'timeoutEarlyInMillis',
  // Powertools', which docs/migration.md translates.
  'SqsFifoPartialProcessor',
  'eventKeyJmesPath',
  'payloadValidationJmesPath',
  'expiresAfterSeconds',
  'keyPrefix',
  'responseHook',
  'useLocalCache',
  'IdempotencyItemAlreadyExistsError',
  // AWS's.
  'WarmThroughput',
  'WriteUnitsPerSecond',
  'AWSLambdaSQSQueueExecutionRole',
];

/** What a page writes as code and nobody knows: a name that was changed, a file that moved. */
export function unknownNames(pages: readonly Page[]): readonly string[] {
  const everywhere = [...ourWords(), ...foreign];
  return pages.flatMap((page) => {
    const { path, tokens } = page;
    const known = new Set([...everywhere, ...wordsOf(blocks(page))]);
    const spans = [...walk(tokens)].flatMap((token) =>
      token.type === 'codespan' ? [token.text as string] : [],
    );
    return [...new Set(spans)].flatMap((span) => {
      const why = isPath(span) ? missingFile(span) : unknownWord(span, known);
      return why === undefined ? [] : [`${path}: ${why}`];
    });
  });
}

/** What is listed here and not written anywhere any more. */
export function unusedForeignNames(pages: readonly Page[]): readonly string[] {
  return foreign
    .filter((name) => !pages.some(({ text }) => text.includes(name)))
    .map((name) => `scripts/docs/told-names.ts: no page writes ${name}`);
}

function isPath(span: string): boolean {
  return (
    /^(lib|infra|handlers|test|docs|scripts|bench|emulators|reference)\/[\w./-]+$/.test(span) &&
    !/NN/.test(span)
  );
}

function missingFile(span: string): string | undefined {
  return existsSync(`${root}/${span}`) ? undefined : `there is no ${span}`;
}

/** Of a span that is one name: `a`, `.a`, `a.b`, `a(…)`, `--a`. Anything longer is an example, and compiled as such elsewhere. */
function unknownWord(span: string, known: ReadonlySet<string>): string | undefined {
  const [, name = ''] = /^(?:--|\.)?([A-Za-z][\w.:-]*)(?:\(.*\))?$/.exec(span) ?? [];
  const lost = name.split(/[.:]/).find((word) => word.length > 1 && !known.has(word));
  return lost === undefined ? undefined : `nobody knows ${span}`;
}

function ourWords(): ReadonlySet<string> {
  const sources = files('lib/*.ts', 'infra/*.ts', 'handlers/*.ts', 'test/support/*.ts', 'package.json');
  return new Set(sources.flatMap((file) => wordsIn(readFileSync(`${root}/${file}`, 'utf8'))));
}

/** What a page's own programs declare; that these are right is checked elsewhere. */
function wordsOf(shown: readonly Block[]): readonly string[] {
  return shown.flatMap(({ code }) => wordsIn(code));
}

function wordsIn(text: string): readonly string[] {
  return text.match(/[A-Za-z][\w-]*/g) ?? [];
}
