import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../pages.ts';

/** A project that has this package installed, and nothing else. */
export interface Folder {
  readonly path: string;
  /** In which `sqs-once` and `npx sqs-once` are found, and nothing is fetched. */
  readonly env: Readonly<Record<string, string>>;
  write(file: string, text: string): void;
  remove(): void;
}

export function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'docs-'));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  write('package.json', '{ "type": "module" }\n');
  // A link to the sources would do, were they not TypeScript: Node takes none below node_modules.
  write('node_modules/sqs-once/package.json', '{ "type": "module", "exports": "./index.mjs" }\n');
  write('node_modules/sqs-once/index.mjs', `export * from '${root}lib/index.ts';\n`);
  symlinkSync(`${root}node_modules/@aws-sdk`, join(path, 'node_modules/@aws-sdk'));
  for (const [name, line] of [
    ['sqs-once', `exec '${process.execPath}' '${root}lib/cli/main.ts' "$@"`],
    ['npx', 'exec "$@"'],
  ] as const) {
    write(`bin/${name}`, `#!/bin/sh\n${line}\n`);
    chmodSync(join(path, 'bin', name), 0o755);
  }
  return {
    path,
    env: { PATH: `${join(path, 'bin')}:${process.env.PATH}` },
    write,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
