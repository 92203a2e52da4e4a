import { readFileSync } from 'node:fs';
import { files, type Page, root, walk } from './pages.ts';

const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8');

/** Every public name that no page for users tells of. */
export function untoldNames(pages: readonly Page[]): readonly string[] {
  const told = new Set(
    pages.filter(({ path }) => /^(README\.md|docs\/[\w-]+\.md)$/.test(path)).flatMap(wordsOf),
  );
  return publicNames()
    .filter(({ name }) => !told.has(name))
    .map(({ name, file }) => `${file}: no page tells of ${name}`);
}

/** The words in a page's code, inline and in blocks. */
function wordsOf({ tokens }: Page): readonly string[] {
  return [...walk(tokens)].flatMap((token) =>
    token.type === 'codespan' || token.type === 'code' ? (token.text.match(/[\w-]+/g) ?? []) : [],
  );
}

/** Types whose members people write or read. */
const typesToTell: Readonly<Record<string, readonly string[]>> = {
  'lib/options.ts': ['Message', 'Backoff', 'CommonOptions', 'BodyOptions'],
  'lib/receiver-options.ts': ['CommonReceiverOptions', 'HttpReceiverOptions'],
  'lib/handle/attempt.ts': ['PreviousAttempt', 'Attempt'],
  'lib/handle/follow-ups.ts': ['FollowUp'],
  'lib/settle/outcome.ts': ['Outcome'],
  'lib/store/dynamo.ts': ['DynamoClaimsOptions'],
  'lib/observe/events.ts': ['OnceEvent'],
  'infra/consumer-props.ts': ['ConsumerQueueProps', 'IdempotentConsumerProps'],
  'infra/receiver-props.ts': ['IdempotentReceiverProps', 'ReceiverRoute'],
  'infra/claim-table.ts': ['GrantClaimsOptions', 'IClaimTable', 'ClaimTableProps'],
};

interface PublicName {
  readonly name: string;
  readonly file: string;
}

function publicNames(): readonly PublicName[] {
  return [
    ...['lib/index.ts', 'lib/testing.ts', 'infra/index.ts'].flatMap((file) =>
      named(file, exportedValues(file)),
    ),
    ...Object.entries(typesToTell).flatMap(([file, types]) => named(file, membersOf(file, types))),
    ...named(
      'lib/observe/events.ts',
      literals('lib/observe/events.ts', /(?<=^ {2}\| |EventType = )'[\w-]+'|(?<=\| )'[\w-]+'/gm),
    ),
    ...named(
      'lib/observe/metrics.ts',
      literals('lib/observe/metrics.ts', /(?<=^ {2}'?[\w-]+'?: )'[A-Z]\w+'/gm),
    ),
    ...environmentNames().map((name) => ({ name, file: 'lib' })),
  ];
}

function named(file: string, names: readonly string[]): readonly PublicName[] {
  return names.map((name) => ({ name, file }));
}

function exportedValues(file: string): readonly string[] {
  const lists = read(file).matchAll(/^export \{([^}]*)\}/gm);
  const names = [...lists].flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  return names.filter((name) => name !== '' && !name.startsWith('type '));
}

/** Members of a file's types, each of which ends before an empty line that something at the margin follows. */
function membersOf(file: string, types: readonly string[]): readonly string[] {
  return types.flatMap((type) => {
    const [text] =
      new RegExp(`^(?:export )?(?:interface|type) ${type}\\b[\\s\\S]*?(?=\\n\\n\\S|$(?![\\s\\S]))`, 'm').exec(
        read(file),
      ) ?? [];
    if (text === undefined) throw new Error(`${file} has no type ${type}`);
    return [...text.matchAll(/^ {2,6}(?:readonly )?(\w+)\??(?=[:(])/gm)].map(([, name = '']) => name);
  });
}

function literals(file: string, pattern: RegExp): readonly string[] {
  return [...new Set(read(file).match(pattern) ?? [])].map((text) => text.replaceAll("'", ''));
}

/** What this package reads from the environment. */
export function environmentNames(): readonly string[] {
  const sources = files('lib/*.ts', 'lib/store/*.ts', 'lib/settle/*.ts').map(read);
  return [...new Set(sources.flatMap((source) => source.match(/\bSQS_ONCE_[A-Z_]+/g) ?? []))];
}
