// The package as strangers get it: packed, installed by npm into an empty project, and used there.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalAws } from '../../lib/local/local-aws.ts';
import { root } from '../../scripts/docs/pages.ts';
import { type Installed, installPacked, toolOf } from './installed.ts';

let stranger: Installed;

beforeAll(async () => {
  stranger = await installPacked('test/package/project');
});

afterAll(async () => {
  await stranger?.[Symbol.asyncDispose]();
});

const node = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  stranger.run(process.execPath, args, env);

async function complaintsOf(tool: string, module: string, resolution: string, files: readonly string[]) {
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--types', 'node'];
  const how = ['--module', module, '--moduleResolution', resolution];
  const output = await node([toolOf(tool), ...flags, ...how, ...files]).catch(
    (error: Error) => error.message,
  );
  return output.split('\n').filter((line) => line.includes('error TS'));
}

test('a clone that was never built is packed with everything it exports', async () => {
  const clone = await mkdtemp(join(tmpdir(), 'sqs-once-clone-'));
  try {
    const listed = await stranger.run('git', ['-C', root, 'ls-files', '-co', '--exclude-standard', '-z']);
    for (const file of listed.split('\0').filter((name) => name !== '' && name !== 'node_modules')) {
      await cp(join(root, file), join(clone, file));
    }
    await symlink(join(root, 'node_modules'), join(clone, 'node_modules'));
    expect(existsSync(join(clone, 'dist'))).toBe(false);
    const tarball = (await stranger.run('npm', ['pack', '--silent', clone])).trim().split('\n').at(-1) ?? '';
    const packed = (await stranger.run('tar', ['-tf', tarball])).split('\n');
    const manifest = await readFile(join(clone, 'package.json'), 'utf8');
    const promised = [...manifest.matchAll(/"\.\/(dist\/[^"]+)"/g)].map(([, file]) => `package/${file}`);
    expect(promised.length).toBeGreaterThan(6);
    expect(packed).toEqual(expect.arrayContaining(promised));
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
});

describe('the packed package', () => {
  test('pleases publint', async () => {
    await node([toolOf('publint/src/cli.js'), stranger.tarball, '--strict']);
  });

  test('has types wherever it has code, for every way of importing it', async () => {
    await node([toolOf('@arethetypeswrong/cli/dist/index.js'), stranger.tarball, '--profile', 'esm-only']);
  });

  test('brings one library along, and no emulator, no second Node, no command-line library', async () => {
    const installed = await readdir(join(stranger.folder, 'node_modules'));
    for (const name of ['fauxqs', '@dynoxide', 'node', 'commander', 'listr2', 'typescript']) {
      expect(installed).not.toContain(name);
    }
    const manifest = JSON.parse(
      await readFile(join(stranger.folder, 'node_modules/sqs-once/package.json'), 'utf8'),
    ) as { dependencies: object };
    expect(Object.keys(manifest.dependencies)).toEqual(['@standard-schema/spec']);
  });

  test('has the pages its README links to; those about working on it stay in the repository', async () => {
    const installed = join(stranger.folder, 'node_modules/sqs-once');
    const dead: string[] = [];
    for (const page of [
      'README.md',
      ...(await readdir(join(installed, 'docs'))).map((name) => `docs/${name}`),
    ]) {
      if (!page.endsWith('.md')) continue;
      const text = await readFile(join(installed, page), 'utf8');
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        if (!existsSync(join(installed, dirname(page), link))) dead.push(link);
      }
    }
    expect(dead.toSorted()).toEqual(['CONTRIBUTING.md', 'RELEASING.md', 'bench/RESULTS.md']);
  });

  test('names the one npm command when an emulator is asked for that is not there', async () => {
    const asked = node(
      [
        '--input-type=module',
        '-e',
        "import { startLocalAws } from 'sqs-once/testing'; await startLocalAws();",
      ],
      { PATH: '', AWS_ENDPOINT_URL_DYNAMODB: '', AWS_ENDPOINT_URL: '' },
    );
    await expect(asked).rejects.toThrow(/npm install --save-dev/);
  });
});

describe('its types', () => {
  test.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('hold under module %s and resolution %s, libraries checked', async (module, resolution) => {
    expect(await complaintsOf('typescript/bin/tsc', module, resolution, ['consumer.ts'])).toEqual([]);
  });

  test('hold under the TypeScript before', async () => {
    const older = '../reference/node_modules/typescript/bin/tsc';
    expect(await complaintsOf(older, 'nodenext', 'nodenext', ['consumer.ts'])).toEqual([]);
  });

  test('hold beside both majors of Middy, and under CDK', async () => {
    const complaints = await complaintsOf('typescript/bin/tsc', 'nodenext', 'nodenext', [
      'middy.ts',
      'infra.ts',
    ]);
    // Middy 7's own declarations name an optional library of theirs.
    expect(complaints.filter((line) => !line.includes('node_modules/@middy/core/'))).toEqual([]);
  });
});

describe('installed, it works', () => {
  test('for a consumer in TypeScript, against DynamoDB', async () => {
    const aws = await startLocalAws();
    try {
      await aws.createClaimTable();
      await aws.createTable('orders', 'orderId');
      const answer = JSON.parse(await node(['consumer.ts'], aws.env));
      const acknowledged = { batchItemFailures: [] };
      expect(answer).toEqual({ runs: 1, answers: [acknowledged, acknowledged] });
    } finally {
      await aws.stop();
    }
  });

  test('for tests that start DynamoDB and SQS, once those are installed', async () => {
    for (const name of ['fauxqs', '@dynoxide']) {
      await symlink(toolOf(name), join(stranger.folder, 'node_modules', name));
    }
    expect(JSON.parse(await node(['emulators.mjs']))).toEqual({ rows: 1 });
  });

  test('under Middy 6 and 7', async () => {
    expect(JSON.parse(await node(['middy.ts']))).toEqual(['A-17', 'A-17']);
  });

  test('in a CDK app', async () => {
    expect(JSON.parse(await node(['infra.ts']))).toEqual([['ReportBatchItemFailures']]);
  });

  test('for CommonJS that requires it', async () => {
    expect(JSON.parse(await node(['required.cjs']))).toEqual({ runs: 1 });
  });

  test.each([
    ['with the SDK inside', []],
    ['with the SDK outside', ['--external:@aws-sdk/*']],
  ])('bundled to CommonJS %s, where require of ES modules is switched off', async (_, more) => {
    const esbuild = [
      '--bundle',
      '--platform=node',
      '--target=node22',
      '--format=cjs',
      '--outfile=bundled.cjs',
    ];
    await stranger.run(toolOf('esbuild/bin/esbuild'), [
      'required.cjs',
      ...esbuild,
      '--log-level=error',
      ...more,
    ]);
    const output = await node(['--no-experimental-require-module', 'bundled.cjs']);
    expect(JSON.parse(output)).toEqual({ runs: 1 });
  });

  test('as two copies side by side, which know each other’s errors and claims', async () => {
    const modules = join(stranger.folder, 'node_modules');
    await cp(join(modules, 'sqs-once'), join(modules, 'sqs-once-again'), { recursive: true });
    expect(JSON.parse(await node(['two-copies.mjs']))).toEqual({
      poison: ['parked'],
      later: ['deferred'],
      first: ['completed'],
      second: ['duplicate'],
      refused: 'ConfigurationError',
    });
  });

  test('as a command', async () => {
    const help = await node(['node_modules/.bin/sqs-once', '--help']);
    expect(help).toContain('dlq');
  });
});
