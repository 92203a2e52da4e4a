// The pages' programs, as they stand there, do what the pages say, with the package as strangers get it.
import { readFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { onceEnvironment } from '../../lib/local/once-env.ts';
import { readQueue } from '../../lib/local/queue.ts';
import { startRunner } from '../../lib/local/runner.ts';
import { scanTable } from '../../lib/local/scan-table.ts';
import { type Block, blocks, root } from '../../scripts/docs/pages.ts';
import { type Installed, installPacked, toolOf } from './installed.ts';

let stranger: Installed;
let aws: LocalAws;

const file = (name: string) => join(stranger.folder, 'shown', name);

/** The TypeScript programs of a page that have this text in them. */
function shown(path: string, having: string): readonly Block[] {
  const found = blocks({ path, text: readFileSync(join(root, path), 'utf8') });
  return found.filter(({ language, code }) => language === 'ts' && code.includes(having));
}

beforeAll(async () => {
  stranger = await installPacked('test/package/project');
  for (const name of ['fauxqs', '@dynoxide', 'vitest']) {
    await symlink(toolOf(name), join(stranger.folder, 'node_modules', name));
  }
  aws = await startLocalAws();
});

afterAll(async () => {
  await aws?.stop();
  await stranger?.[Symbol.asyncDispose]();
});

describe('the README’s program', () => {
  /** Sends two orders through a real queue, every delivery twice; answers the calls at the gateway. */
  async function deliver(program: string) {
    const pair = await aws.createQueuePair({ name: program });
    const receipts = await aws.createQueuePair({ name: `${program}-receipts` });
    const calls = file(`${program}.calls`);
    await writeFile(calls, '');
    for (const orderId of ['A-17', 'B-18']) {
      const MessageBody = JSON.stringify({ orderId, amountCents: 1_250 });
      await aws.sqs().send(new SendMessageCommand({ QueueUrl: pair.queueUrl, MessageBody }));
    }
    const environment = { RECEIPTS_QUEUE_URL: receipts.queueUrl, CALLS_FILE: calls };
    const runner = await startRunner({
      aws,
      queueUrl: pair.queueUrl,
      handler: file(`${program}.handler`),
      // A copy that meets the first one at work comes back when its lease is over: a second after this.
      timeoutSeconds: 5,
      duplicate: () => 100,
      env: { ...onceEnvironment('claims', pair), ...environment },
    });
    await runner.drained();
    await runner.stop();
    const called = (await readFile(calls, 'utf8')).trim().split('\n');
    return {
      orders: called.map((line) => line.split(' ')[0]).toSorted(),
      receipts: (await readQueue(aws.sqs(), receipts.queueUrl)).messages,
    };
  }

  test('charges each order once though every delivery comes twice, and writes it down', async () => {
    await aws.createClaimTable('claims');
    await aws.createTable('captures', 'orderId');
    const [program] = shown('README.md', 'idempotentConsumer(');
    const world = "import { gateway, Order, receipts } from './world.ts';\n";
    await writeFile(file('readme.ts'), world + program?.code);
    expect(await deliver('readme')).toEqual({ orders: ['A-17', 'B-18'], receipts: 2 });
    const captures = await scanTable(aws.dynamo(), 'captures', (item) =>
      z.object({ orderId: z.string(), charge: z.string() }).parse(item),
    );
    expect(captures.toSorted((a, b) => a.orderId.localeCompare(b.orderId))).toEqual([
      { orderId: 'A-17', charge: 'charge of A-17' },
      { orderId: 'B-18', charge: 'charge of B-18' },
    ]);
  });

  test('is what does it: without its guard the same deliveries charge twice', async () => {
    expect((await deliver('naive')).orders).toEqual(['A-17', 'A-17', 'B-18', 'B-18']);
  });
});

describe('docs/testing.md', () => {
  const page = 'docs/testing.md';

  beforeAll(async () => {
    const [payments] = shown(page, '// payments.ts');
    const around = [
      "import { type ClaimStore, consumeOnce } from 'sqs-once';",
      "export { paymentEventHandler } from './payment-events.ts';",
    ];
    await writeFile(file('payments.ts'), `${around.join(' ')}\n${payments?.code}`);
  });

  test('its examples for vitest pass as they stand there', async () => {
    const examples = shown(page, "from 'vitest'");
    expect(examples.length).toBeGreaterThan(3);
    for (const { line, code } of examples) await writeFile(file(`line-${line}.test.ts`), code);
    const vitest = toolOf('vitest/vitest.mjs');
    const reporting = ['--reporter=json', '--outputFile=report.json'];
    await stranger.run(process.execPath, [vitest, 'run', ...reporting, '--dir', 'shown']);
    const report = await readFile(join(stranger.folder, 'report.json'), 'utf8');
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: examples.length });
  });

  test('its example for node:test passes as it stands there', async () => {
    const [example] = shown(page, "from 'node:test'");
    await writeFile(file('node-test.ts'), example?.code ?? '');
    const report = await stranger.run(process.execPath, [
      '--test',
      '--test-reporter=tap',
      'shown/node-test.ts',
    ]);
    expect(report).toMatch(/^# pass 1$/m);
  });

  test('its example with a real queue and a real table passes as it stands there', async () => {
    const [example] = shown(page, 'const aws = await startLocalAws()');
    const around = [
      "import { consumeOnce, dynamoClaims } from 'sqs-once';",
      "import { sqsEvent, startLocalAws } from 'sqs-once/testing';",
      'let captures = 0; const capture = async (_: unknown) => { captures += 1; };',
    ];
    await writeFile(file('real.ts'), `${around.join(' ')}\n${example?.code}\nconsole.log(captures);\n`);
    expect(await stranger.run(process.execPath, ['shown/real.ts'])).toBe('1\n');
  });
});
