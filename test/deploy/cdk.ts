import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withOurNode } from './ministack.ts';

/** Environment variables for the CDK's own command line: which AWS, which credentials. */
export type Surroundings = Readonly<Record<string, string>>;

/** An app and where its templates go. */
export interface CdkApp {
  readonly file: string;
  readonly assembly: string;
}

/** What a stack tells of itself once it is deployed. */
export type StackOutputs = Readonly<Record<string, string>>;

/** What the app is told on its command line. */
export type Context = Readonly<Record<string, string>>;

/** The CDK's own command line, unmodified, over one app. */
export class Cdk {
  private readonly app: CdkApp;
  private readonly surroundings: Surroundings;

  constructor(app: CdkApp, surroundings: Surroundings) {
    this.app = app;
    this.surroundings = surroundings;
  }

  async bootstrap(context: Context): Promise<void> {
    await this.run(['bootstrap', ...flags(context)]);
  }

  async deploy(context: Context): Promise<StackOutputs> {
    const directory = await mkdtemp(join(tmpdir(), 'sqs-once-deploy-'));
    try {
      const file = join(directory, 'outputs.json');
      await this.run(['deploy', '--require-approval', 'never', '--outputs-file', file, ...flags(context)]);
      const [outputs] = Object.values<StackOutputs>(JSON.parse(await readFile(file, 'utf8')));
      return outputs ?? {};
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async destroy(context: Context): Promise<void> {
    await this.run(['destroy', '--force', ...flags(context)]);
  }

  /** Says nothing while all is well, and everything when it is not. */
  private run(args: readonly string[]): Promise<void> {
    // Set by `npm exec -c`, and read by the CDK's `npx esbuild` as its own.
    const { npm_config_call: _ours, ...environment } = process.env;
    const child = spawn(
      join('node_modules', '.bin', 'cdk'),
      [...args, '--app', `node ${this.app.file}`, '--output', this.app.assembly],
      {
        env: { ...environment, CI: 'true', PATH: withOurNode(), ...this.surroundings },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`cdk ${args[0]} ended with ${code}:\n${Buffer.concat(said)}`));
      });
    });
  }
}

function flags(context: Context): string[] {
  return Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
}

/** The outputs of those names, each of which must be there. */
export function named<Name extends string>(
  names: readonly Name[],
  outputs: StackOutputs,
): Readonly<Record<Name, string>> {
  const missing = names.filter((name) => outputs[`Out${name}`] === undefined);
  if (missing.length > 0) throw new Error(`the stack does not tell ${missing.join(', ')}`);
  return Object.fromEntries(names.map((name) => [name, outputs[`Out${name}`]])) as Record<Name, string>;
}
