// The dlq commands as people and scripts use them: what they print, what they end with, and what stays hidden.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyHash, rowKey } from '../../lib/arrive/row-key.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { openRoad, type Road } from '../redrive/rig.ts';

let aws: LocalAws;
let table: string;
beforeAll(async () => {
  aws = await startLocalAws();
  table = await aws.createClaimTable();
});
afterAll(() => aws.stop());

interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  json(): Record<string, never>;
}

async function cli(...args: string[]): Promise<Answer> {
  const { AWS_PROFILE: _, ...inherited } = process.env;
  const program = spawn(process.execPath, ['lib/cli/main.ts', ...args], {
    env: { ...inherited, ...aws.env, SQS_ONCE_TABLE: table, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'close') as Promise<[number | null]>,
  ]);
  return { code, out, err, json: () => JSON.parse(out) };
}

interface Listed {
  readonly messageId: string;
}

const secretKey = 'customer-4242424242424242';

/** A road with one parked message, whose id and key are something nobody should read in a list. */
async function parkedRoad(body?: string): Promise<Road> {
  const road = await openRoad(aws, table, { key: secretKey });
  road.trouble.set('order-1', new PoisonMessageError('no such currency'));
  await road.send('order-1', body === undefined ? {} : { body });
  await road.drain();
  road.trouble.clear();
  return road;
}

describe.concurrent('sqs-once dlq', { timeout: 120_000 }, () => {
  test('list tells of each message by the hash of its key, and how to bring it back', async () => {
    const road = await parkedRoad();
    const { code, out, err } = await cli('dlq', 'list', road.deadLetters.name);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const hash = keyHash(rowKey(road.scope, secretKey));
    expect(out).toMatch(new RegExp(`${hash} +│ poison +│ 1 +│ parked +│ its key`));
    expect(out).toContain(`sqs-once dlq redrive ${road.deadLetters.name}`);
    expect(out).toContain('custom destination');
    expect(out).not.toContain(secretKey);
  });

  test('list for scripts is one JSON document, without a key', async () => {
    const road = await parkedRoad();
    const answer = await cli('dlq', 'list', road.deadLetterQueueUrl, '--json');
    expect(answer.json()).toMatchObject({
      messages: [
        { reason: 'poison', claim: 'parked', scope: road.scope, comesBackAs: 'its key', attempts: 1 },
      ],
      unseen: 0,
    });
    expect(answer.out).not.toContain(secretKey);
  });

  test('show tells one message’s story with its key, and the body only when asked', async () => {
    const road = await parkedRoad();
    const [{ messageId }] = (await cli('dlq', 'list', road.deadLetters.name, '--json')).json()
      .messages as never as [{ messageId: string }];
    const story = await cli('dlq', 'show', road.deadLetters.name, messageId);
    expect(story.code).toBe(0);
    expect(story.out).toContain(secretKey);
    expect(story.out).toContain('PoisonMessageError: no such currency');
    expect(story.out).toContain(road.queueArn);
    expect(story.out).not.toContain('{"id":"order-1"}');
    const withBody = await cli('dlq', 'show', road.deadLetters.name, messageId, '--body');
    expect(withBody.out).toContain('{"id":"order-1"}');
    const asJson = await cli('dlq', 'show', road.deadLetters.name, messageId, '--body', '--json');
    expect(asJson.json()).toMatchObject({
      messageId,
      key: secretKey,
      body: '{"id":"order-1"}',
      row: { status: 'parked' },
    });
    expect(asJson.json().firstMessageId).not.toBe(messageId);
    // Looked at four times, and still there.
    expect(await road.left()).toBe(1);
  });

  test('what a message says is shown, not obeyed: the terminal takes no orders from its key, error or body', async () => {
    const orders = '\u001b[2J\u0007\r\n\u009b1A';
    const road = await openRoad(aws, table, { key: `A-17${orders}` });
    road.trouble.set('order-1', new PoisonMessageError(`no${orders}`));
    await road.send('order-1', { body: '{"id":\r\n"order-1"}' });
    await road.drain();
    const dead = road.deadLetters.name;
    const answers = await Promise.all([
      cli('dlq', 'list', dead),
      cli('dlq', 'redrive', dead, '--dry-run', '--to', road.queueUrl),
    ]);
    const { messages } = (await cli('dlq', 'list', dead, '--json')).json() as never as {
      messages: Listed[];
    };
    const story = await cli('dlq', 'show', dead, messages[0]?.messageId ?? '', '--body');
    const asJson = await cli('dlq', 'show', dead, messages[0]?.messageId ?? '', '--json');
    const nothing = await cli('dlq', 'show', dead, `nothing${orders}`);
    const row = await cli('claims', 'show', '--scope', road.scope, `A-17${orders}`);
    const refused = await cli('dlq', 'list', `nowhere${orders}`);
    expect(refused.err).toContain('\\u001b[2J');
    for (const { out, err } of [...answers, story, asJson, nothing, row, refused]) {
      expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
    const shown = '\\u001b[2J\\u0007\\u000d\\u000a\\u009b1A';
    expect(story.out).toContain(`A-17${shown}`);
    // What SQS would not take in a message was replaced when it was parked.
    expect(story.out).toMatch(/PoisonMessageError: no.+\\u000d\\u000a\\u009b1A/);
    expect(story.out).toContain('{"id":\\u000d\\u000a"order-1"}');
    expect(row.out).toMatch(/PoisonMessageError: no.+\\u000d\\u000a\\u009b1A/);
    expect(asJson.json()).toMatchObject({ key: `A-17${orders}` });
  });

  test('redrive --dry-run, then redrive, brings the message back', async () => {
    const road = await parkedRoad();
    const trial = await cli('dlq', 'redrive', road.deadLetters.name, '--dry-run');
    expect(trial).toMatchObject({ code: 0, out: expect.stringContaining('would be redriven') });
    expect(await road.left()).toBe(1);
    const done = await cli('dlq', 'redrive', road.deadLetters.name, '--key', secretKey, '--json');
    expect(done.code).toBe(0);
    expect(done.json()).toMatchObject({ redriven: 1, dropped: 0, failed: 0, unseen: 0, dryRun: false });
    expect(done.out).not.toContain(secretKey);
    await road.drain();
    expect(road.completed).toEqual(['order-1']);
    expect(await road.left()).toBe(0);
  });

  test('redrive drops what is done already, and says so', async () => {
    const road = await parkedRoad();
    const claims = dynamoClaims({ client: aws.dynamo(), tableName: table });
    const parked = await claims.read(rowKey(road.scope, secretKey), { timeoutMillis: 5_000 });
    if (parked === undefined) throw new Error('there is no row');
    const { parkId, parkSent, leaseEndsAt, ...rest } = parked;
    await claims.acquire({ ...rest, status: 'completed', owner: 'x' }, parked, { timeoutMillis: 5_000 });
    const { code, out } = await cli('dlq', 'redrive', road.deadLetters.name);
    expect({ code, left: await road.left() }).toEqual({ code: 0, left: 0 });
    expect(out).toContain('dropped: its work is completed');
  });

  test('redrive that cannot place a message ends with 2 and leaves it', async () => {
    const road = await openRoad(aws, table);
    await road.deadLetter('order-1');
    const { code, out } = await cli('dlq', 'redrive', road.deadLetters.name);
    expect({ code, left: await road.left() }).toEqual({ code: 2, left: 1 });
    expect(out).toContain('give --to');
  });

  test('redrive to a queue that is none, or to the dead-letter queue itself, is wrong use: nothing is tried', async () => {
    const road = await parkedRoad();
    const dead = road.deadLetters.name;
    const nowhere = await cli('dlq', 'redrive', dead, '--to', 'nowhere');
    expect(nowhere).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--to is nowhere') });
    const itself = await cli('dlq', 'redrive', dead, '--to', dead);
    expect(itself).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('the dead-letter queue itself'),
    });
    expect(await road.left()).toBe(1);
  });

  test('drop asks, and where nobody can answer deletes nothing', async () => {
    const road = await parkedRoad();
    const { code, err } = await cli('dlq', 'drop', road.deadLetters.name);
    expect({ code, left: await road.left() }).toEqual({ code: 1, left: 1 });
    expect(err).toContain('--yes');
  });

  test('drop --yes deletes what is selected and nothing else', async () => {
    const road = await parkedRoad();
    const other = await cli('dlq', 'drop', road.deadLetters.name, '--yes', '--reason', 'unparseable');
    expect({ code: other.code, left: await road.left() }).toEqual({ code: 3, left: 1 });
    const dropped = await cli('dlq', 'drop', road.deadLetters.name, '--yes', '--reason', 'poison', '--json');
    expect(dropped).toMatchObject({ code: 0 });
    expect(dropped.json()).toMatchObject({ dropped: 1 });
    expect(await road.left()).toBe(0);
  });

  test.each(['drop', 'redrive'])(
    '%s of a queue that work arrives in is refused, and touches nothing',
    async (command) => {
      const road = await openRoad(aws, table);
      await road.send('order-1');
      const source = road.scope;
      const options = command === 'drop' ? ['--yes'] : ['--to', road.deadLetters.name];
      const refused = await cli('dlq', command, source, ...options);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(
        `${source} has a redrive policy of its own, to ${source}-dlq after 50 receives`,
      );
      expect(refused.err).toContain(`sqs-once dlq ${command} ${source}-dlq`);
      await road.drain();
      expect({ completed: road.completed, left: await road.left() }).toEqual({
        completed: ['order-1'],
        left: 0,
      });
      expect(road.records[0]?.attributes.ApproximateReceiveCount).toBe('1');
    },
  );

  test.each(['list', 'redrive', 'drop'])(
    '%s refuses a reason that nothing is parked for',
    async (command) => {
      const road = await parkedRoad();
      const refused = await cli('dlq', command, road.deadLetters.name, '--reason', 'attempt-exhausted');
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain("'attempt-exhausted' is invalid. Give one of unparseable, no-key, ");
      expect(refused.err).toContain('dead-lettered');
      expect(await road.left()).toBe(1);
    },
  );

  test('a queue or table that is not there is named, and ends with 1', async () => {
    const road = await openRoad(aws, table);
    const noQueue = await cli('dlq', 'list', 'nowhere');
    expect(noQueue).toMatchObject({
      code: 1,
      err: expect.stringContaining('the queue nowhere cannot be found'),
    });
    const noTable = await cli('dlq', 'list', road.deadLetters.name, '--table', 'nowhere');
    expect(noTable).toMatchObject({
      code: 1,
      err: expect.stringContaining('the claim table nowhere cannot be read'),
    });
  });
});
