import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withOurNode } from './ministack.ts';
import { type Outputs, outputNames } from './stack.ts';

/** Environment variables for the CDK's own command line: which AWS, which credentials. */
export type Surroundings = Readonly<Record<string, string>>;

const assembly = 'cdk.out/deploy';

/** The template of the last deployment. */
export const synthesizedTemplate = join(assembly, 'SqsOnceCheck.template.json');

/** What the app is told on its command line. */
export type Context = Readonly<Record<string, string>>;

/** The CDK's own command line, unmodified, over the app of this check. */
export class Cdk {
  private readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  async bootstrap(context: Context): Promise<void> {
    await this.run(['bootstrap', ...flags(context)]);
  }

  async deploy(context: Context): Promise<Outputs> {
    const directory = await mkdtemp(join(tmpdir(), 'sqs-once-deploy-'));
    try {
      const file = join(directory, 'outputs.json');
      await this.run(['deploy', '--require-approval', 'never', '--outputs-file', file, ...flags(context)]);
      return outputsIn(JSON.parse(await readFile(file, 'utf8')));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  async destroy(context: Context): Promise<void> {
    await this.run(['destroy', '--force', ...flags(context)]);
  }

  /** Says nothing while all is well, and everything when it is not. */
  private run(args: readonly string[]): Promise<void> {
    const child = spawn(
      join('node_modules', '.bin', 'cdk'),
      [...args, '--app', 'node test/deploy/app.ts', '--output', assembly],
      {
        env: { ...process.env, CI: 'true', PATH: withOurNode(), ...this.surroundings },
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

function outputsIn(file: Readonly<Record<string, Readonly<Record<string, string>>>>): Outputs {
  const [told = {}] = Object.values(file);
  return Object.fromEntries(outputNames.map((name) => [name, told[`Out${name}`] ?? ''])) as Outputs;
}
