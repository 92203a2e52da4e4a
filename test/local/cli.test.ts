import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');
/** Somebody's project, with the built package installed in it as npm would. */
let project: string;

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/bundle-cli.mjs'], { cwd: repository });
  project = mkdtempSync(join(tmpdir(), 'sqs-once-'));
  const installed = join(project, 'node_modules/sqs-once');
  mkdirSync(installed, { recursive: true });
  cpSync(join(repository, 'dist/cli'), join(installed, 'dist/cli'), { recursive: true });
  cpSync(join(repository, 'package.json'), join(installed, 'package.json'));
  install('@aws-sdk');
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(project, 'orders.js'),
    `export const handler = async ({ Records }) => {
      const { SQS_ONCE_TABLE: table, SQS_ONCE_PARTIAL_RESPONSES: partial } = process.env;
      console.log(\`got \${Records.length} with \${table}, \${partial}\`);
    };`,
  );
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function install(name: string): void {
  symlinkSync(join(repository, 'node_modules', name), join(project, 'node_modules', name));
}

function run(...args: string[]): ChildProcessWithoutNullStreams {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...env } = process.env;
  return spawn(process.execPath, ['node_modules/sqs-once/dist/cli/main.js', ...args], {
    cwd: project,
    env: { ...env, PATH: '', NO_COLOR: '1' },
  });
}

async function output(program: ChildProcessWithoutNullStreams): Promise<{ code: number; errors: string }> {
  let errors = '';
  program.stderr.on('data', (text) => {
    errors += text;
  });
  const [code] = await once(program, 'close');
  return { code, errors };
}

test('an install without emulators is told the three ways and the command', async () => {
  const { code, errors } = await output(run('local', '--handler', 'orders.handler', '--queue', 'orders'));
  expect(code).toBe(1);
  expect(errors).toMatch(/no npm package @dynoxide\/.*, no dynoxide on PATH, and AWS_ENDPOINT_URL_DYNAMODB/);
  if (process.platform === 'linux' && process.arch === 'x64') {
    expect(errors).toContain('npm install --save-dev fauxqs@2 @dynoxide/linux-x64@1');
  }
});

test('the built command runs a plain handler, tells of each message, and ends on Ctrl-C', async () => {
  install('fauxqs');
  install('@dynoxide');
  const program = run('local', '--handler', 'orders.handler', '--queue', 'orders', '--table', 'cups');
  const ending = output(program);
  const lines: string[] = [];
  for await (const line of createInterface({ input: program.stdout })) {
    lines.push(line);
    if (line.startsWith('Ctrl-C')) program.stdin.write('{"order":1}\n');
    if (line.includes('acknowledged')) program.kill('SIGINT');
  }
  expect(lines.find((line) => line.includes('got 1 with cups, true'))).toBeDefined();
  expect(lines.find((line) => /delivery 1 {2}acknowledged/.test(line))).toBeDefined();
  expect(await ending).toEqual({ code: 0, errors: '' });
});
