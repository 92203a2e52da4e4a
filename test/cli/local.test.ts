// `sqs-once local` does what its options say: the real command, real worker processes, real stand-ins.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTerminal, type Terminal } from './terminal.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

const repository = join(import.meta.dirname, '../..');
const main = join(repository, 'lib/cli/main.ts');
const product = join(repository, 'lib/index.ts');

let folder: string;
let terminal: Terminal | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqs-once-local-'));
  write('package.json', '{ "type": "module" }');
});
afterEach(async () => {
  await terminal?.stop();
  terminal = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** The lines of what is not the handler's own output. */
function ours({ lines }: Terminal): string {
  return lines.filter((line) => !line.includes('│')).join('\n');
}

async function open(...args: string[]): Promise<Terminal> {
  terminal = await openTerminal({ folder, main, args });
  return terminal;
}

/** A handler of which nothing but its output is known. */
const saying = (words: string) =>
  `export const handler = async ({ Records }) => { for (const { body, attributes } of Records) console.log(${words}); };`;

/** Writes each effect down in a file, once for each time that it is done. */
const guarded = (work: string) => `
  import { appendFileSync } from 'node:fs';
  import { consumeOnce, PoisonMessageError } from ${JSON.stringify(product)};
  const effect = (text) => appendFileSync('effects.txt', text + '\\n');
  export const handler = consumeOnce(
    { scope: 'welcome', key: ({ body }) => body.customer, maxAttempts: 2, backoff: { minSeconds: 1, maxSeconds: 1, factor: 1 } },
    async ({ body }) => { ${work} },
  );`;

const effects = () => readFileSync(join(folder, 'effects.txt'), 'utf8').trim().split('\n');

const jsonLines = (...bodies: object[]) => bodies.map((body) => `${JSON.stringify(body)}\n`).join('');

describe('--watch', () => {
  test('the next message meets the changed code, and code that does not load is told until it is mended', async () => {
    write('greet.js', saying("'hello ' + body"));
    const { shown, type } = await open('--handler', 'greet.handler', '--queue', 'greet', '--watch');
    type('"ada"');
    await shown('hello "ada"');

    write('greet.js', saying("'good evening ' + body"));
    await shown(/greet\.js changed, workers start anew/);
    await shown('new workers are ready');
    type('"bob"');
    await shown('good evening "bob"');

    write('greet.js', 'export const handler = (');
    await shown(/The handler in .* does not load: SyntaxError/);

    write('greet.js', saying("'good night ' + body"));
    await shown('new workers are ready', 2);
    type('"cyd"');
    await shown('good night "cyd"');
  });
});

describe('--send', () => {
  test('each line is a message; with --duplicate each comes twice and is done once', async () => {
    write('welcome.js', guarded('effect(body.customer);'));
    write(
      'customers.jsonl',
      `${jsonLines({ customer: 'ada' }, { customer: 'bob' })}\n${jsonLines({ customer: 'cyd' })}`,
    );
    const asked = ['--handler', 'welcome.handler', '--queue', 'welcome', '--duplicate', '1'];
    const opened = await open(...asked, '--send', 'customers.jsonl');
    await opened.shown('3 messages of customers.jsonl sent');
    await opened.shown(/acknowledged {2}completed, attempt 1 {2}/, 3);
    await opened.shown(/(acknowledged {2}duplicate|returned {6}in-flight) {2}/, 3);
    expect(effects().toSorted()).toEqual(['ada', 'bob', 'cyd']);
    expect(ours(opened)).not.toMatch(/ada|bob|cyd/);
  });

  test('a line that is no JSON is named, and nothing is sent', async () => {
    write('welcome.js', guarded('effect(body.customer);'));
    write('customers.jsonl', `${jsonLines({ customer: 'ada' })}{ "customer": hush }\n`);
    const { code, said } = await refused(
      '--handler',
      'welcome.handler',
      '--queue',
      'q',
      '--send',
      'customers.jsonl',
    );
    expect(said).toBe('line 2 of customers.jsonl is no JSON; nothing was sent\n');
    expect(code).toBe(1);
    expect(effects).toThrow('ENOENT');
  });

  test('a line that SQS would not take is named, and nothing is sent', async () => {
    write('customers.jsonl', jsonLines({ customer: 'ada' }, { customer: 'x'.repeat(1_048_576) }));
    const { code, said } = await refused(
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
  write(
    'welcome.js',
    guarded("if (body.rude) throw new PoisonMessageError('rude'); throw new Error('no stamps');"),
  );
  const opened = await open('--handler', 'welcome.handler', '--queue', 'welcome');
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
  await opened.shown(/delivery 1 {2}acknowledged {2}parked: unparseable/);
  expect(ours(opened)).not.toMatch(/ada|bob|secret/);
  expect(await opened.stop()).toBe(0);
});

test('--fifo: typed messages go to one group, and are handled in the order they were typed', async () => {
  write('greet.js', saying("attributes.MessageGroupId + ' ' + body"));
  const opened = await open('--handler', 'greet.handler', '--queue', 'greet', '--fifo');
  expect(opened.queueUrl).toMatch(/greet\.fifo$/);
  for (const number of [1, 2, 3, 1]) opened.type(String(number));
  const said = await opened.shown('│ local ', 4);
  expect(said.map((line) => line.split('│ ')[1])).toEqual(['local 1', 'local 2', 'local 3', 'local 1']);
});

test('--batch-size and --visibility reach the mapping and the queue', async () => {
  write(
    'count.js',
    `import { existsSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    export const handler = async ({ Records }) => {
      while (!existsSync('go')) await sleep(20);
      console.log('batch of ' + Records.length);
    };`,
  );
  write('numbers.jsonl', '1\n2\n3\n4\n5\n6\n');
  const sized = ['--batch-size', '2', '--visibility', '75', '--workers', '1'];
  const opened = await open(
    '--handler',
    'count.handler',
    '--queue',
    'count',
    ...sized,
    '--send',
    'numbers.jsonl',
  );
  await opened.shown('6 messages of numbers.jsonl sent');
  write('go', '');
  await opened.shown('acknowledged', 6);
  const sizes = (await opened.shown('batch of')).map((line) => Number(line.split('batch of ')[1]));
  expect(sizes.reduce((sum, size) => sum + size)).toBe(6);
  expect(Math.max(...sizes)).toBe(2);
  const question = { QueueUrl: opened.queueUrl, AttributeNames: ['VisibilityTimeout' as const] };
  const { Attributes } = await opened.sqs.send(new GetQueueAttributesCommand(question));
  expect(Attributes).toEqual({ VisibilityTimeout: '75' });
});

test('a visibility shorter than the timeout is refused, as by AWS', async () => {
  write('greet.js', saying('body'));
  const asked = ['--handler', 'greet.handler', '--queue', 'greet', '--timeout', '20', '--visibility', '19'];
  const { code, said } = await refused(...asked);
  expect(said).toMatch(/timeoutSeconds is 20 but the queue hides a message for 19 seconds/);
  expect(code).toBe(1);
});

describe('--template', () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'cdk.out/asset.abc'), { recursive: true });
    write('cdk.out/asset.abc/index.js', saying("'bundled, ' + process.env.GREETING + ' ' + body"));
    write('cdk.out/Mail.template.json', JSON.stringify({ Resources: stack }));
  });

  test('a synthesized stack runs with its own queue, table, settings and bundled code; what only AWS knows is named', async () => {
    const opened = await open('--template', 'cdk.out/Mail.template.json');
    expect(opened.queueUrl).toMatch(/WelcomeQueue$/);
    expect(opened.deadLetterQueueUrl).toMatch(/WelcomeDead$/);
    expect(opened.tableName).toBe('Claims');
    expect(opened.lines).toContainEqual(expect.stringMatching(/^not set {12}BUCKET: only AWS knows/));
    opened.type('"ada"');
    await opened.shown('bundled, good morning "ada"');
    const question = { QueueUrl: opened.queueUrl, AttributeNames: ['VisibilityTimeout' as const] };
    const { Attributes } = await opened.sqs.send(new GetQueueAttributesCommand(question));
    expect(Attributes).toEqual({ VisibilityTimeout: '120' });
  });

  test('--handler runs the source in its place, with the same environment', async () => {
    write('welcome.js', guarded("effect(body.customer + ' ' + process.env.GREETING);"));
    const opened = await open('--template', 'cdk.out/Mail.template.json', '--handler', 'welcome.handler');
    opened.type(JSON.stringify({ customer: 'ada' }));
    await opened.shown('completed, attempt 1');
    expect(effects()).toEqual(['ada good morning']);
  });
});

const attribute = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

const stack = {
  WelcomeQueue: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      VisibilityTimeout: 120,
      RedrivePolicy: { deadLetterTargetArn: attribute('WelcomeDead'), maxReceiveCount: 50 },
    },
  },
  WelcomeDead: { Type: 'AWS::SQS::Queue', Properties: {} },
  Claims: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      KeySchema: [{ AttributeName: 'claim', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'claim', AttributeType: 'S' }],
    },
  },
  WelcomeFunction: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Handler: 'index.handler',
      Timeout: 20,
      Code: { S3Key: 'abc.zip' },
      Environment: {
        Variables: {
          SQS_ONCE_TABLE: { Ref: 'Claims' },
          SQS_ONCE_DLQ_URL: { Ref: 'WelcomeDead' },
          SQS_ONCE_PARTIAL_RESPONSES: 'true',
          GREETING: 'good morning',
          BUCKET: { Ref: 'Bucket' },
        },
      },
    },
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: attribute('WelcomeQueue'),
      FunctionName: { Ref: 'WelcomeFunction' },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
};

/** The command where it ends by itself. */
function refused(...args: readonly string[]): Promise<{ readonly code: unknown; readonly said: string }> {
  const env = { ...process.env, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'local', ...args], { cwd: folder, env }, (error, _, said) =>
      resolve({ code: error?.code ?? 0, said }),
    );
  });
}
