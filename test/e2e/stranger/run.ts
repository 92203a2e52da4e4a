// A stranger's hour, by one command: the packed package in an empty folder, a consumer of welcome mails that
// the package's authors did not write (FIFO, a business key, a follow-up), its construct synthesized, the
// synthesized stack run here, broken, paged by its own alarm's condition, mended, and redriven.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTerminal } from '../../cli/terminal.ts';
import { installPacked } from '../../package/installed.ts';
import { send, urlOf, visible } from './local.ts';

interface Alarm {
  readonly MetricName?: string;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
}

const step = (text: string) => console.log(`── ${text}`);

step('install');
await using stranger = await installPacked('test/e2e/stranger/project', ['esbuild']);
const file = (name: string) => join(stranger.folder, name);
const cli = (...args: string[]) => stranger.run(process.execPath, ['node_modules/.bin/sqs-once', ...args]);

step('be told what the local stand-ins are, and install them');
const told = await cli('local', '--handler', 'handlers/welcome.handler', '--queue', 'x').catch(
  (error: Error) => error,
);
const [, packages = ''] = /npm install --save-dev ([^\n]+)/.exec(String(told)) ?? [];
assert.match(packages, /fauxqs/, `sqs-once local names the command: ${told}`);
await stranger.run('npm', [
  'install',
  '--save-dev',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  ...packages.split(' '),
]);

step('synthesize');
await stranger.run(process.execPath, ['app.ts']);
const template = JSON.parse(await readFile(file('cdk.out/Mail.template.json'), 'utf8')) as {
  Resources: Record<string, { Type: string; Properties: Alarm }>;
};
const alarm = Object.values(template.Resources).find(
  ({ Type, Properties }) =>
    Type === 'AWS::CloudWatch::Alarm' && Properties.MetricName === 'ApproximateNumberOfMessagesVisible',
)?.Properties;
assert.equal(alarm?.ComparisonOperator, 'GreaterThanOrEqualToThreshold');

step('run the synthesized stack');
const watched = [
  '--template',
  'cdk.out/Mail.template.json',
  '--handler',
  'handlers/welcome.handler',
  '--watch',
];
const main = 'node_modules/.bin/sqs-once';
const terminal = await openTerminal({ folder: stranger.folder, main, args: watched });
const surroundings = { ...terminal.env, SQS_ONCE_TABLE: terminal.tableName };
try {
  const outbox = async () => {
    const text = await readFile(file('outbox.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { customerId: string }).customerId);
  };
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (let turn = 0; turn < 600; turn += 1) {
      if (await holds()) return;
      await sleep(50);
    }
    throw new Error(`never came: ${what}`);
  };
  const rings = async () => (await visible(terminal, terminal.deadLetterQueueUrl)) >= (alarm?.Threshold ?? 1);

  step('signups, one of them twice, one that the first version cannot handle');
  await send(terminal, { customerId: 'ada', address: 'ada@example.com' });
  await send(terminal, { customerId: 'ada', address: 'ada@example.com' });
  await send(terminal, { customerId: 'bob', address: 'BOB@example.com' });
  await send(terminal, { customerId: 'cyd', address: 'cyd@example.com' });
  await until('the alarm', rings);
  await until('two mails', async () => (await outbox()).length === 2);

  await terminal.shown('parked: poison (PoisonMessageError: an address in capitals), attempt 1');

  step('the alarm rang: look');
  const queue = terminal.deadLetterQueueUrl;
  const onCall = (...args: string[]) =>
    stranger.run(process.execPath, ['node_modules/.bin/sqs-once', ...args], surroundings);
  const list = JSON.parse(await onCall('dlq', 'list', queue, '--json')) as {
    messages: { reason: string; messageId: string }[];
  };
  assert.deepEqual(
    list.messages.map(({ reason }) => reason),
    ['poison'],
  );
  const story = await onCall('dlq', 'show', queue, list.messages[0]?.messageId ?? '');
  assert.match(story, /key +│ bob/);
  assert.match(story, /error +│ PoisonMessageError: an address in capitals/);
  assert.match(story, /claim now +│ parked/);

  step('mend, and bring it back');
  const source = await readFile(file('handlers/welcome.ts'), 'utf8');
  const mended = source.replace(/ {4}if \(address !==.*\n/, '');
  assert.notEqual(mended, source);
  await writeFile(file('handlers/welcome.ts'), mended);
  await terminal.shown('new workers are ready');
  await onCall('dlq', 'redrive', queue);
  await until('the third mail', async () => (await outbox()).length === 3);
  await until('silence', async () => !(await rings()) && (await visible(terminal, terminal.queueUrl)) === 0);

  assert.deepEqual((await outbox()).toSorted(), ['ada', 'bob', 'cyd']);
  const surveys = Object.entries(template.Resources).find(
    ([id, { Type }]) => Type === 'AWS::SQS::Queue' && id.startsWith('Surveys'),
  );
  assert.equal(await visible(terminal, await urlOf(terminal, surveys?.[0] ?? '')), 3);
  step('three mails, three surveys, nobody wrote twice');
} finally {
  await terminal.stop();
}
