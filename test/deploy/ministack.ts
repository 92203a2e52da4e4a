import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { answers } from '../../lib/local/emulator.ts';
import { endProcess, spawnGuarded } from '../../lib/local/guardian.ts';

const run = promisify(execFile);

const version = '1.5.33';
const home = join('node_modules', '.cache', 'sqs-once', `ministack-${version}`);
const venv = join(home, 'venv');
const bin = join(venv, process.platform === 'win32' ? 'Scripts' : 'bin');

/** A missing tool of the machine, not a fault of the product: the check does not run. */
export class CannotRun extends Error {}

/** A whole AWS on loopback, or so much of it as this check needs. */
export interface Ministack {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Installs it into a virtual environment of its own, once, and starts it on a free port of loopback. */
export async function startMinistack(): Promise<Ministack> {
  await installMinistack();
  const port = await freePort();
  const log = await open(join(home, 'ministack.log'), 'w');
  const child = spawnGuarded(join(bin, 'ministack'), [], {
    env: { ...process.env, BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port), PATH: withOurNode() },
    stdio: ['ignore', log.fd, log.fd],
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${endpoint}/_ministack/health`, () => child.exitCode);
  return {
    endpoint,
    stop: async () => {
      await endProcess(child);
      await log.close();
    },
  };
}

/** Functions run in the `node` that is first on the PATH; it should be the one that runs this. */
export function withOurNode(): string {
  return `${join(process.cwd(), 'node_modules', '.bin')}:${process.env.PATH}`;
}

async function installMinistack(): Promise<void> {
  if (existsSync(join(bin, 'ministack'))) return;
  const python = await findPython();
  await mkdir(home, { recursive: true });
  try {
    await run(python, ['-m', 'venv', venv]);
    await run(join(bin, 'pip'), [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      `ministack==${version}`,
    ]);
  } catch (error) {
    throw new CannotRun(`ministack ${version} could not be installed from PyPI: ${lastLine(error)}`);
  }
}

async function findPython(): Promise<string> {
  for (const name of ['python3', 'python']) {
    const enough = 'import sys; sys.exit(sys.version_info < (3, 10))';
    const found = await run(name, ['-c', enough]).then(
      () => true,
      () => false,
    );
    if (found) return name;
  }
  throw new CannotRun('there is no Python 3.10 or newer on the PATH');
}

async function untilItAnswers(url: string, exitCode: () => number | null): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (exitCode() !== null) throw new Error(`ministack ended with ${exitCode()}; see ${home}/ministack.log`);
    const up = await answers(url).then(
      () => true,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`ministack did not answer within 20 s; see ${home}/ministack.log`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()));
    });
  });
}

function lastLine(error: unknown): string {
  const { stderr, message } = Object(error) as { stderr?: string; message?: string };
  return (stderr ?? message ?? String(error)).trim().split('\n').at(-1) ?? '';
}
