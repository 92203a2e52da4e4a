import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Block, blocks, files, type Page, root } from './pages.ts';

const folder = `${root}/reports/docs-check`;

/** Where a name comes from that an excerpt uses without saying so. */
const entries = {
  'sqs-once': 'lib/index.ts',
  'sqs-once/testing': 'lib/testing.ts',
  'sqs-once/infra': 'infra/index.ts',
} as const;

/** Programs and excerpts in TypeScript: those of the pages, and the `@example`s of what is public. */
export function programs(pages: readonly Page[]): readonly Block[] {
  const shown = pages.flatMap(blocks).filter(({ language }) => ['ts', 'typescript'].includes(language));
  return [...shown, ...files('lib/*.ts', 'infra/*.ts').flatMap(examples)];
}

/** The `@example`s of a source file, fenced or not. */
function examples(path: string): readonly Block[] {
  const source = readFileSync(`${root}/${path}`, 'utf8');
  const found: Block[] = [];
  for (const comment of source.matchAll(/^( *)\/\*\*\n[\s\S]*?\*\//gm)) {
    const line = source.slice(0, comment.index).split('\n').length;
    const lines = comment[0].split('\n').map((text) => text.replace(/^ *(\/\*\*|\*\/|\* ?)/, ''));
    for (const [place, text] of lines.entries()) {
      if (!text.startsWith('@example')) continue;
      const rest = lines.slice(place + 1);
      const end = rest.findIndex((next) => /^@/.test(next));
      const code = rest.slice(0, end < 0 ? undefined : end);
      const unfenced = code.map((one) => (one.startsWith('```') ? '' : one)).join('\n');
      found.push({ path, line: line + place + 1, language: 'ts', code: unfenced });
    }
  }
  return found;
}

/**
 * Compiles every program by itself. Each becomes a file whose lines are those of the page it stands on, so
 * that the compiler's complaints name them.
 */
export function complaints(found: readonly Block[]): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The reader's own module, which docs/testing.md is about.
  writeFileSync(`${folder}/payments.ts`, "export * from '../../test/testing/payments.ts';\n");
  const names = namesByEntry();
  const programFiles = found.map((block, place) => {
    const name = `${block.path.replaceAll(/[^\w.-]/g, '_').replace(/\.ts$/, '')}-${place}.ts`;
    writeFileSync(`${folder}/${name}`, programOf(block, names));
    return name;
  });
  const paths = Object.entries(entries).map(([entry, file]) => [entry, [`../../${file}`]]);
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      paths: Object.fromEntries(paths),
      noUnusedLocals: false,
      noUnusedParameters: false,
      verbatimModuleSyntax: false,
      isolatedModules: false,
    },
    files: [...programFiles, '../../scripts/docs/world.d.ts'],
    include: [],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config));
  return compile();
}

function programOf({ code, line, path }: Block, names: Names): string {
  const own = path.endsWith('.ts') ? namesOf(path).map((name) => [name, `../../${path}`] as const) : [];
  const padding = '\n'.repeat(Math.max(0, line - 1));
  const added = imports(code, new Map([...names, ...own]));
  const [head = ''] = /^(?:import [\s\S]*?;\n+)*/.exec(code) ?? [];
  const body = code.slice(head.length);
  // Excerpts of a construct are written as if inside its constructor.
  const isInConstruct = /\bthis\b/.test(body) && !/\bclass\b/.test(body);
  if (!isInConstruct) return `${added}${padding}${code}\nexport {};\n`;
  const found = around.filter((name) => !new RegExp(`const ${name}\\b`).test(body));
  const opening = `(function (this: import('constructs').Construct, { ${found.join(', ')} }: Around) {`;
  return `${added}${padding}${head}${opening} ${body}\n});\n`;
}

/** What a construct's excerpt may have around it; see `Around` in world.d.ts. */
const around = ['receipts', 'captures', 'claims', 'claimTable', 'queue', 'deadLetterQueue', 'parcels'];

function compile(): readonly string[] {
  try {
    execFileSync(`${root}/node_modules/.bin/tsc`, ['-p', folder, '--noEmit'], {
      encoding: 'utf8',
      cwd: root,
    });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '');
  }
}

type Names = ReadonlyMap<string, string>;

/** Each public name and the entry it is imported from. */
function namesByEntry(): Names {
  const names = new Map<string, string>();
  for (const [entry, file] of Object.entries(entries)) {
    for (const name of namesOf(file)) if (!names.has(name)) names.set(name, entry);
  }
  return names;
}

function namesOf(file: string): readonly string[] {
  const source = readFileSync(`${root}/${file}`, 'utf8');
  const listed = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const declared = [...source.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)];
  return [
    ...listed.map((name) => name.trim().replace(/^type /, '')),
    ...declared.map(([, name = '']) => name),
  ].filter((name) => name !== '');
}

/** An excerpt leaves out where its names come from; a page that imports anything says all of it itself. */
function imports(code: string, names: Names): string {
  if (/^import .*'sqs-once/m.test(code)) return '';
  const used = [...names].filter(([name]) => uses(code, name));
  const lines = used.map(([name, entry]) => `import { ${name} } from '${entry}';`);
  if (uses(code, 'middy')) lines.push("import middy from '@middy/core';");
  if (uses(code, 'z')) lines.push("import { z } from 'zod';");
  return lines.join(' ');
}

function uses(code: string, name: string): boolean {
  const declared = new RegExp(`(?:const|function|class|interface|type) (?:\\{[^}]*)?\\b${name}\\b`);
  return new RegExp(`(?<![.'"\\w])${name}\\b(?!['"]?:)`).test(code) && !declared.test(code);
}
