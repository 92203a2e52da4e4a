import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { answers, type Emulator } from './emulator.ts';
import { endProcess, letGo, spawnGuarded } from './guardian.ts';
import {
  dynoxideIsInstallable,
  dynoxidePackage,
  findOnPath,
  findPackage,
  installCommand,
} from './packages.ts';

/** Options of {@link startDynoxide}. */
export interface DynoxideOptions {
  /**
   * File the tables live in, so they survive a restart.
   * @default - in memory
   */
  readonly dbPath?: string;
}

/** How often another port is tried when someone took the one we picked. */
const portTries = 5;

/**
 * Starts dynoxide, a local DynamoDB, on a free loopback port; resolves when it answers. It is the npm
 * package of this machine's binary, else `dynoxide` on PATH; without either, the endpoint in
 * `AWS_ENDPOINT_URL_DYNAMODB` is taken as it is, and stopping it is not our business.
 * @throws Error when there is none of the three, with the command that installs it.
 * @example
 * const dynamo = await startDynoxide();
 * const client = new DynamoDBClient({ endpoint: dynamo.endpoint, region: 'us-east-1' });
 */
export async function startDynoxide(options: DynoxideOptions = {}): Promise<Emulator> {
  const binary = findBinary();
  if (binary === undefined) return endpointFromEnvironment();
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const args = ['--host', '127.0.0.1', '--port', String(port)];
    if (options.dbPath !== undefined) args.push('--db-path', options.dbPath);
    const child = spawnGuarded(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const start = await listening(child);
    if (start.status === 'listening') {
      const endpoint = `http://127.0.0.1:${port}`;
      await answers(`${endpoint}/`);
      letGo(child);
      return { endpoint, stop: () => endProcess(child) };
    }
    if (tries === portTries) throw new Error(`dynoxide does not start: ${start.lastLine}`);
  }
}

function findBinary(): string | undefined {
  const folder = findPackage(dynoxidePackage);
  return folder === undefined ? findOnPath('dynoxide') : join(folder, 'dynoxide');
}

async function endpointFromEnvironment(): Promise<Emulator> {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (endpoint) {
    await fetch(endpoint, { signal: AbortSignal.timeout(10_000) }).catch((cause) => {
      throw new Error(`AWS_ENDPOINT_URL_DYNAMODB is ${endpoint}, where nothing answers`, { cause });
    });
    return { endpoint, stop: async () => {} };
  }
  const remedy = dynoxideIsInstallable
    ? `Install it with: ${installCommand()}`
    : `npm has no ${dynoxidePackage}: put a dynoxide binary on PATH, or name the endpoint of another local DynamoDB.`;
  throw new Error(
    `No local DynamoDB: there is no npm package ${dynoxidePackage}, no dynoxide on PATH, and AWS_ENDPOINT_URL_DYNAMODB is not set. ${remedy}`,
  );
}

type Start = { status: 'listening' } | { status: 'ended'; lastLine: string };

// Only its own word tells that it got the port: an answer on the port may be another's, who was faster.
function listening(child: ChildProcess): Promise<Start> {
  return new Promise((resolve) => {
    let lastLine = 'it ended without a word';
    child.once('error', (error) => resolve({ status: 'ended', lastLine: error.message }));
    child.once('close', () => resolve({ status: 'ended', lastLine }));
    createInterface({ input: child.stderr as Readable }).on('line', (line) => {
      if (line.includes('listening on')) resolve({ status: 'listening' });
      else if (line !== '') lastLine = line;
    });
  });
}

/** A port nobody listens on. Another may take it before we do, so the caller tries again. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
