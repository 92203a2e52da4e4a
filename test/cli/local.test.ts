// `sqs-once local` does what its options say: the real command, real worker processes, real stand-ins.
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { guarded, newProject, ours, type Project, saying } from './local-project.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let project: Project;
beforeEach(() => {
  project = newProject();
});
afterEach(() => project.remove());

const jsonLines = (...bodies: object[]) => bodies.map((body) => `${JSON.stringify(body)}\n`).join('');

describe('--send', () => {
  test('each line is a message; with --duplicate each comes twice and is done once', async () => {
    project.write('welcome.js', guarded('effect(body.customer);'));
    project.write(
      'customers.jsonl',
      `${jsonLines({ customer: 'ada' }, { customer: 'bob' })}\n${jsonLines({ customer: 'cyd' })}`,
    );
    const asked = ['--handler', 'welcome.handler', '--queue', 'welcome', '--duplicate', '1'];
    const opened = await project.open(...asked, '--send', 'customers.jsonl');
    await opened.shown('3 messages of customers.jsonl sent');
    await opened.shown(/acknowledged {2}completed, attempt 1 {2}/, 3);
    await opened.shown(/(acknowledged {2}duplicate|returned {6}in-flight) {2}/, 3);
    expect(project.effects().toSorted()).toEqual(['ada', 'bob', 'cyd']);
    expect(ours(opened)).not.toMatch(/ada|bob|cyd/);
  });

  test('a line that is no JSON is named, and nothing is sent', async () => {
    project.write('welcome.js', guarded('effect(body.customer);'));
    project.write('customers.jsonl', `${jsonLines({ customer: 'ada' })}{ "customer": hush }\n`);
    const { code, said } = await project.refused(
      '--handler',
      'welcome.handler',
      '--queue',
      'q',
      '--send',
      'customers.jsonl',
    );
    expect(said).toBe('line 2 of customers.jsonl is no JSON; nothing was sent\n');
    expect(code).toBe(1);
    expect(project.effects).toThrow('ENOENT');
  });

  test('a line that SQS would not take is named, and nothing is sent', async () => {
    project.write('customers.jsonl', jsonLines({ customer: 'ada' }, { customer: 'x'.repeat(1_048_576) }));
    const { code, said } = await project.refused(
      '--handler',
      'a.handler',
      '--queue',
      'q',
      '--send',
      'customers.jsonl',
    );
    expect(said).toMatch(
      /^line 2 of customers\.jsonl has \d+ bytes, and SQS takes at most 1048576; nothing was sent/,
    );
    expect(code).toBe(1);
  });
});

test('a message that fails is told with its error, and parked with its reason', async () => {
  project.write(
    'welcome.js',
    guarded("if (body.rude) throw new PoisonMessageError('rude'); throw new Error('no stamps');"),
  );
  const opened = await project.open('--handler', 'welcome.handler', '--queue', 'welcome');
  opened.type(JSON.stringify({ customer: 'ada' }));
  await opened.shown(/delivery 1 {2}returned {6}failed \(Error: no stamps\), attempt 1 {2}/);
  await opened.shown(
    /delivery 2 {2}acknowledged {2}parked: attempts-exhausted \(Error: no stamps\), attempt 2 {2}/,
  );
  opened.type(JSON.stringify({ customer: 'bob', rude: true }));
  await opened.shown(
    /delivery 1 {2}acknowledged {2}parked: poison \(PoisonMessageError: rude\), attempt 1 {2}/,
  );
  opened.type('secret, and no JSON');
  await opened.shown(/delivery 1 {2}acknowledged {2}parked: unparseable \(the body is not JSON\)/);
  expect(ours(opened)).not.toMatch(/ada|bob|secret/);
  expect(await opened.stop()).toBe(0);
});

test('--fifo: typed messages go to one group, and are handled in the order they were typed', async () => {
  project.write('greet.js', saying("attributes.MessageGroupId + ' ' + body.slice(0, 3)"));
  const opened = await project.open('--handler', 'greet.handler', '--queue', 'greet', '--fifo');
  expect(opened.queueUrl).toMatch(/greet\.fifo$/);
  // Pasted, not typed, and large ones among them: sent side by side they would overtake each other.
  const bodies = Array.from(
    { length: 30 },
    (_, place) => `${place} ${'x'.repeat(place % 3 === 0 ? 200_000 : 1)}`,
  );
  opened.type(bodies.join('\n'));
  const said = await opened.shown('│ local ', bodies.length);
  expect(said.map((line) => Number(/local (\d+)/.exec(line)?.[1]))).toEqual(bodies.map((_, place) => place));
});

test('--group: a message that fails holds back its own group, not its neighbour', async () => {
  project.write(
    'welcome.js',
    guarded("if (body.customer === 'ada') throw new Error('no stamps'); effect(body.nr);"),
  );
  const grouped = ['--fifo', '--group', 'customer', '--workers', '1', '--batch-size', '1'];
  const opened = await project.open('--handler', 'welcome.handler', '--queue', 'welcome', ...grouped);
  for (const customer of ['ada', 'bob']) opened.type(JSON.stringify({ customer, nr: customer }));
  await opened.shown(/delivery 1 {2}returned {6}failed/);
  await opened.shown(/delivery 1 {2}acknowledged {2}completed/);
  await opened.shown('parked: attempts-exhausted');
  expect(project.effects()).toEqual(['bob']);
});

test('--group without --fifo is refused', async () => {
  project.write('greet.js', saying('body'));
  const { code, said } = await project.refused(
    '--handler',
    'greet.handler',
    '--queue',
    'greet',
    '--group',
    'a',
  );
  expect(said).toBe('--group is for FIFO queues; give --fifo, or leave it out\n');
  expect(code).toBe(1);
});

test('--batch-size and --visibility reach the mapping and the queue', async () => {
  project.write(
    'count.js',
    `import { existsSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    export const handler = async ({ Records }) => {
      while (!existsSync('go')) await sleep(20);
      console.log('batch of ' + Records.length);
    };`,
  );
  project.write('numbers.jsonl', '1\n2\n3\n4\n5\n6\n');
  const sized = ['--batch-size', '2', '--visibility', '75', '--workers', '1'];
  const opened = await project.open(
    '--handler',
    'count.handler',
    '--queue',
    'count',
    ...sized,
    '--send',
    'numbers.jsonl',
  );
  await opened.shown('6 messages of numbers.jsonl sent');
  project.write('go', '');
  await opened.shown('acknowledged', 6);
  const sizes = (await opened.shown('batch of')).map((line) => Number(line.split('batch of ')[1]));
  expect(sizes.reduce((sum, size) => sum + size)).toBe(6);
  expect(Math.max(...sizes)).toBe(2);
  const question = { QueueUrl: opened.queueUrl, AttributeNames: ['VisibilityTimeout' as const] };
  const { Attributes } = await opened.sqs.send(new GetQueueAttributesCommand(question));
  expect(Attributes).toEqual({ VisibilityTimeout: '75' });
});

test('a visibility shorter than the timeout is refused, as by AWS', async () => {
  project.write('greet.js', saying('body'));
  const asked = ['--handler', 'greet.handler', '--queue', 'greet', '--timeout', '20', '--visibility', '19'];
  const { code, said } = await project.refused(...asked);
  expect(said).toBe(
    '--visibility is 19, shorter than a function may run (--timeout 20); give at least 20 seconds, better 120\n',
  );
  expect(code).toBe(1);
});

test.each([
  [['--workers', '0'], '--workers is 0; give a whole number from 1 to 64'],
  [['--dlq', '0'], '--dlq is 0; give a whole number from 1 to 1000'],
  [['--timeout', '901'], '--timeout is 901; give more than 0 and at most 900 seconds'],
  [['--batch-size', '11'], '--batch-size is 11; give a whole number from 1 to 10'],
  [
    ['--visibility', '1'],
    '--visibility is 1, shorter than a function may run (--timeout 30, the default); give at least 30 seconds, better 180',
  ],
  [['--send', 'nix.jsonl'], '--send is nix.jsonl, and there is no such file; give a file of JSON lines'],
  [['--send', '.'], '--send is ., and it is a folder; give a file of JSON lines'],
])('%j is refused under the name it was typed by, before anything starts', async (options, sentence) => {
  project.write('greet.js', saying('body'));
  const { code, said } = await project.refused('--handler', 'greet.handler', '--queue', 'greet', ...options);
  expect({ code, said }).toEqual({ code: 1, said: `${sentence}\n` });
});
