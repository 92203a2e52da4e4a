// docs/webhooks.md shows what really happens: its commands are run against the demo, in order, and answer with
// the lines that stand there.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, startShop } from '../../lib/local/webhook-demo/shop.ts';

interface Step {
  readonly command: string;
  readonly expected: readonly string[];
}

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');

/** The commands of the page's consoles, each with the lines below it. */
const steps: readonly Step[] = [...page.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block.split(/^\$ /m).flatMap((part): Step[] => {
    const [command = '', ...expected] = part.trimEnd().split('\n');
    return command === '' ? [] : [{ command, expected }];
  }),
);

const hasCurl = spawnSync('curl', ['--version']).status === 0;

let shop: Shop;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-docs-'));
  shop = await startShop({ port: 0 });
}, 60_000);

afterAll(async () => {
  await shop?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything the commands print, step by step, from one shell. */
async function run(): Promise<readonly (readonly string[])[]> {
  const marker = '--- step ---';
  const script = steps
    .map(({ command }) => `echo; echo '${marker}'\n${command.replaceAll('8080', String(shop.port))}`)
    .join('\n');
  const shell = spawn('bash', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(shell.stdout), once(shell, 'exit')]);
  return output
    .split(`${marker}\n`)
    .slice(1)
    .map((part) => part.replaceAll('\r', '').split('\n'));
}

/** `…` stands for any text, and when exactly to come back depends on the moment. */
function says(expected: string): RegExp {
  const literal = expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = literal.startsWith('retry-after') ? literal.replace(/\d+/, '[1-9]\\d*') : literal;
  return new RegExp(`^${pattern.replaceAll('…', '.*')}$`, 'i');
}

test.skipIf(!hasCurl)('every console of docs/webhooks.md', { timeout: 90_000 }, async () => {
  expect(steps.length).toBeGreaterThan(30);
  const outputs = await run();
  expect(outputs).toHaveLength(steps.length);
  for (const [place, { command, expected }] of steps.entries()) {
    let lines = outputs[place] ?? [];
    for (const line of expected) {
      const found = lines.findIndex((actual) => says(line).test(actual));
      expect(found, `${command}\nshould say: ${line}\nand says:\n${outputs[place]?.join('\n')}`).not.toBe(-1);
      lines = lines.slice(found + 1);
    }
  }
});

test('every answer of the scenario table has its console or its law', () => {
  const statuses = new Set(
    steps.flatMap(({ expected }) => expected.map((line) => /^HTTP\/1\.1 (\d+)/.exec(line)?.[1])),
  );
  const table = page.slice(page.indexOf('## What the sender gets'), page.indexOf('## Try it'));
  const answers = [...table.matchAll(/^\| [^|]+ \| (\d{3})/gm)].map(([, status]) => status);
  expect(answers.length).toBeGreaterThan(8);
  for (const status of answers) expect(statuses).toContain(status);
});
