// `npm run bench` measures what it is asked for, or says that it cannot.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each([
  [['cpu', 'fif'], 'fif'],
  [['nope', 'fif'], 'nope, fif'],
])('asked for %j, it measures nothing and names what there is not', (asked, unknown) => {
  const options = { encoding: 'utf8', timeout: 15_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/run.ts', ...asked], options);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^there is no measure ${unknown}; there are traffic, bundles, cpu, .*scale\\n$`),
  );
});
