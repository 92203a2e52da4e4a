// Somebody's project in a folder of its own, and `sqs-once local` run in it.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTerminal, type Terminal } from './terminal.ts';

const repository = join(import.meta.dirname, '../..');
const main = join(repository, 'lib/cli/main.ts');
const product = join(repository, 'lib/index.ts');

export interface Project {
  readonly folder: string;
  write(name: string, text: string): void;
  /** The command, running; ended with the project. */
  open(...args: string[]): Promise<Terminal>;
  /** The command where it ends by itself. */
  refused(...args: string[]): Promise<{ readonly code: unknown; readonly said: string }>;
  /** What {@link guarded} handlers did, once for each time that it was done. */
  effects(): readonly string[];
  remove(): Promise<void>;
}

export function newProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'sqs-once-local-'));
  let terminal: Terminal | undefined;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('package.json', '{ "type": "module" }');
  return {
    folder,
    write,
    async open(...args) {
      terminal = await openTerminal({ folder, main, args });
      return terminal;
    },
    refused(...args) {
      const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' } };
      return new Promise((resolve) => {
        execFile(process.execPath, [main, 'local', ...args], options, (error, _, said) =>
          resolve({ code: error?.code ?? 0, said }),
        );
      });
    },
    effects: () => readFileSync(join(folder, 'effects.txt'), 'utf8').trim().split('\n'),
    async remove() {
      await terminal?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Everything printed that is not the handler's own output. */
export function ours({ lines }: Terminal): string {
  return lines.filter((line) => !line.includes('│')).join('\n');
}

/** A handler of which nothing but its output is known. */
export const saying = (words: string) =>
  `export const handler = async ({ Records }) => { for (const { body, attributes } of Records) console.log(${words}); };`;

/** A handler that writes each effect down, once for each time that it is done. */
export const guarded = (work: string) => `
  import { appendFileSync } from 'node:fs';
  import { consumeOnce, PoisonMessageError } from ${JSON.stringify(product)};
  const effect = (text) => appendFileSync('effects.txt', text + '\\n');
  const backoff = { minSeconds: 1, maxSeconds: 1, factor: 1 };
  export const handler = consumeOnce(
    { scope: 'welcome', key: ({ body }) => body.customer, maxAttempts: 2, backoff },
    async ({ body }, attempt) => { ${work} },
  );`;
