import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { answers, type Emulator } from './emulator.ts';
import { entryFile } from './entry-file.ts';
import { endProcess, letGo, spawnGuarded, withoutNodeOptions } from './guardian.ts';
import { findPackage, installCommand, mainFile } from './packages.ts';

/** Options of {@link startFauxqs}. */
export interface FauxqsOptions {
  /**
   * Folder the queues live in, so they survive a restart.
   * @default - in memory
   */
  readonly dataDir?: string;
}

/**
 * Starts fauxqs, a local SQS, as a child process on a free loopback port; resolves when it answers.
 * @throws Error when the npm package is not installed, with the command that installs it.
 * @example
 * const queues = await startFauxqs();
 * const client = new SQSClient({ endpoint: queues.endpoint, region: 'us-east-1' });
 */
export async function startFauxqs(options: FauxqsOptions = {}): Promise<Emulator> {
  const folder = findPackage('fauxqs');
  if (folder === undefined) {
    throw new Error(`No local SQS: there is no npm package fauxqs. Install it with: ${installCommand()}`);
  }
  const args = [entryFile('fauxqs-process'), mainFile(folder)];
  if (options.dataDir !== undefined) args.push(options.dataDir);
  const child = spawnGuarded(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: withoutNodeOptions(),
  });
  const endpoint = await firstWord(child);
  child.disconnect();
  await answers(`${endpoint}/health`);
  letGo(child);
  return { endpoint, stop: () => endProcess(child) };
}

async function firstWord(child: ChildProcess): Promise<string> {
  const complaint = child.stderr ? text(child.stderr) : '';
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { endpoint: string }).endpoint));
    child.once('error', reject);
    child.once('exit', async () => reject(new Error(`fauxqs does not start: ${await complaint}`)));
  });
}
