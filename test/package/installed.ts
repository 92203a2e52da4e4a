import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

/** What a program printed, on success; an error with all it said otherwise. */
export type Runner = (
  command: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A stranger's project with the packed package in it. */
export interface Installed extends AsyncDisposable {
  readonly folder: string;
  readonly tarball: string;
  readonly run: Runner;
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Neighbours a user has; at the versions this repository was tried with. */
const neighbours = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-sqs',
  '@aws-sdk/util-dynamodb',
  '@middy/core',
  'middy6',
  '@types/aws-lambda',
  '@types/node',
  'aws-cdk-lib',
  'constructs',
  'zod',
];

/**
 * Packs the package and installs it, as npm does for anyone, into a folder outside this repository that has
 * nothing but the programs of `project` in it.
 */
export async function installPacked(project: string, more: readonly string[] = []): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'sqs-once-package-'));
  const inFolder = runnerIn(folder);
  // Whoever runs this has built; `prepack` would build again for each of its users, at the same time.
  const packing = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = (await runnerIn(root)('npm', packing)).trim().split('\n').slice(-1);
  const tarball = join(folder, packed ?? 'npm pack named no file');
  await cp(join(root, project), folder, { recursive: true });
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const wanted = [...neighbours, ...more].map((name) => [name, devDependencies[name]] as const);
  const manifest = {
    name: 'stranger',
    private: true,
    type: 'module',
    dependencies: { ...Object.fromEntries(wanted), 'sqs-once': `file:${tarball}` },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await inFolder('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']);
  return {
    folder,
    tarball,
    run: inFolder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A tool of this repository, by its file, so that a stranger's project needs none. */
export function toolOf(file: string): string {
  return join(root, 'node_modules', file);
}

function runnerIn(cwd: string): Runner {
  return async (command, args, env = {}) => {
    try {
      // npm's own variables would lead a child's npm back to this repository.
      const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name));
      const { stdout } = await run(command, args, {
        cwd,
        env: { ...Object.fromEntries(own), ...env },
        maxBuffer: 50_000_000,
      });
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  };
}
