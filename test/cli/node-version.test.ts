// A Node.js that is too old is told so, before anything of the program is loaded.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refusedNode } from '../../lib/cli/node-version.ts';

const older = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

test('under an older Node.js every command says in one line what it needs, and ends as wrong use does', () => {
  for (const command of ['local', 'dlq']) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', older('20.20.2'), 'lib/cli/main.ts', command],
      { encoding: 'utf8' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Node.js 20.20.2; sqs-once needs 22 or newer\n',
    });
  }
});

test('the entry imports nothing that an older Node.js might not link', () => {
  const entry = readFileSync('lib/cli/main.ts', 'utf8');
  expect(entry.match(/^import .*/gm)).toEqual(["import { refusedNode } from './node-version.ts';"]);
  expect(readFileSync('lib/cli/node-version.ts', 'utf8')).not.toMatch(/^import /m);
});

test('what it needs is what the package says', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const least = engines.node.replace('>=', '');
  expect(refusedNode(`${least}.0.0`)).toBeUndefined();
  expect(refusedNode('100.1.0')).toBeUndefined();
  expect(refusedNode(`${Number(least) - 1}.9.0`)).toContain(`needs ${least} or newer`);
});
