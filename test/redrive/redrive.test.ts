// The way back on a real queue and a real table: nothing is lost, nothing runs twice, whatever ends in between.
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onceAttributeName } from '../../lib/arrive/once-attribute.ts';
import { PoisonMessageError } from '../../lib/errors.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { claimReader } from '../../lib/redrive/claims.ts';
import { look } from '../../lib/redrive/look.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { openRoad, type Road } from './rig.ts';

let aws: LocalAws;
let table: string;
beforeAll(async () => {
  aws = await startLocalAws();
  table = await aws.createClaimTable();
});
afterAll(() => aws.stop());

const ids = (count: number) => Array.from({ length: count }, (_, place) => `order-${place}`);
const noSuchCurrency = new PoisonMessageError('no such currency');

/** A road on which these messages were parked, and whose handler is fixed since. */
async function parkedRoad(parked: readonly string[], options?: { readonly fifo?: boolean }): Promise<Road> {
  const road = await openRoad(aws, table, options);
  for (const id of parked) road.trouble.set(id, noSuchCurrency);
  for (const id of parked) await road.send(id);
  await road.drain();
  road.trouble.clear();
  expect(await road.left()).toBe(parked.length);
  return road;
}

function lookAt(road: Road, limit = 1_000) {
  const claims = dynamoClaims({ client: aws.dynamo(), tableName: table });
  const readClaim = claimReader(claims);
  return look({ sqs: aws.sqs(), queue: road.deadLetters, readClaim, selection: {}, limit });
}

/** SQS that does one kind of call wrong as long as it is told to. */
function sqsThat(wrong: (command: object) => Promise<never> | undefined): SQSClient {
  return new Proxy(aws.sqs(), {
    get: (client, name) =>
      name === 'send'
        ? (command: never) => wrong(command) ?? client.send(command)
        : Reflect.get(client, name),
  });
}

describe.concurrent('a redrive', { timeout: 60_000 }, () => {
  test('brings every parked message back to complete once, and leaves the queue empty', async () => {
    const road = await parkedRoad(ids(25));
    const { outcomes, unseen } = await road.redrive();
    expect({ redriven: outcomes.filter(({ status }) => status === 'done').length, unseen }).toEqual({
      redriven: 25,
      unseen: 0,
    });
    await road.drain();
    expect(road.completed.toSorted()).toEqual(ids(25).toSorted());
    expect(await road.left()).toBe(0);
  });

  test('that dies after sending is run again: sent twice, completed once', async () => {
    const road = await parkedRoad(ids(12));
    let deletions = 0;
    const sqs = sqsThat((command) => {
      if (!(command instanceof DeleteMessageCommand)) return undefined;
      deletions += 1;
      return deletions % 2 === 0 ? Promise.reject(new Error('died')) : undefined;
    });
    const { outcomes, unseen } = await road.redrive({ sqs });
    expect(outcomes.filter(({ status }) => status === 'failed')).toHaveLength(6);
    expect(unseen).toBe(0);
    await road.drain();
    const again = await road.redrive();
    // Their work is done by now, so the copies that are left are dropped, and say so.
    expect(again.outcomes.map(({ plan }) => plan)).toEqual(
      Array.from({ length: 6 }, () => ({ action: 'drop', why: 'completed' })),
    );
    await road.drain();
    expect(road.completed.toSorted()).toEqual(ids(12).toSorted());
    expect(await road.left()).toBe(0);
  });

  test('sent twice without a look at the table completes once all the same: the consumer’s claim answers', async () => {
    const road = await parkedRoad(ids(4));
    const sqs = sqsThat((command) =>
      command instanceof DeleteMessageCommand ? Promise.reject(new Error('died')) : undefined,
    );
    await road.redrive({ sqs, readClaim: claimReader(undefined) });
    await road.redrive({ readClaim: claimReader(undefined) });
    await road.drain();
    expect(road.completed.toSorted()).toEqual(ids(4).toSorted());
  });

  test('works a second time for a message that is parked again', async () => {
    const road = await parkedRoad(['order-1']);
    road.trouble.set('order-1', noSuchCurrency);
    await road.redrive();
    await road.drain();
    expect(await road.left()).toBe(1);
    road.trouble.clear();
    await road.redrive();
    await road.drain();
    expect(road.completed).toEqual(['order-1']);
  });

  test('of what SQS dead-lettered itself runs under the message’s own id', async () => {
    const road = await openRoad(aws, table);
    await road.deadLetter('order-1');
    const { outcomes } = await road.redrive({ to: road.queueUrl });
    const messageId = outcomes[0]?.letter.messageId ?? '';
    await road.drain();
    expect(road.completed).toEqual(['order-1']);
    expect((await road.row(messageId))?.status).toBe('completed');
  });

  test('without a source to go to leaves the message where it lies and says what to do', async () => {
    const road = await openRoad(aws, table);
    await road.deadLetter('order-1');
    const { outcomes } = await road.redrive();
    expect(outcomes).toMatchObject([
      { status: 'failed', error: { message: expect.stringContaining('give --to') } },
    ]);
    expect(await road.left()).toBe(1);
    expect((await lookAt(road).then(({ found, pass }) => pass.end().then(() => found))).length).toBe(1);
  });

  test('without room for our attribute comes back as a new message', async () => {
    const road = await openRoad(aws, table);
    road.trouble.set('order-1', noSuchCurrency);
    await road.send('order-1', { attributes: 10 });
    await road.drain();
    road.trouble.clear();
    await road.redrive({ to: road.queueUrl });
    await road.drain();
    expect(road.completed).toEqual(['order-1']);
  });

  test('hands the message back as it was sent: body and attributes of every type, byte for byte', async () => {
    const road = await openRoad(aws, table);
    const MessageBody = '{ "id": "order-1",\t"grün": 1.0 }';
    const MessageAttributes = {
      text: { DataType: 'String', StringValue: 'grün ✓' },
      cents: { DataType: 'Number.cents', StringValue: '01200' },
      image: { DataType: 'Binary.png', BinaryValue: Uint8Array.from([0, 1, 254, 255]) },
    };
    road.trouble.set('order-1', noSuchCurrency);
    await aws.sqs().send(new SendMessageCommand({ QueueUrl: road.queueUrl, MessageBody, MessageAttributes }));
    await road.drain();
    road.trouble.clear();
    await road.redrive();
    await road.drain();
    const [record] = road.records;
    const { [onceAttributeName]: ours, ...users } = record?.messageAttributes ?? {};
    expect(record?.body).toBe(MessageBody);
    expect(users).toMatchObject({
      text: { dataType: 'String', stringValue: 'grün ✓' },
      cents: { dataType: 'Number.cents', stringValue: '01200' },
      image: { dataType: 'Binary.png', binaryValue: Buffer.from([0, 1, 254, 255]).toString('base64') },
    });
    expect(Object.keys(users)).toHaveLength(3);
    expect(ours).toBeDefined();
  });

  test('on trial says what it would do and changes nothing', async () => {
    const road = await parkedRoad(ids(3));
    const { outcomes } = await road.redrive({ dryRun: true });
    expect(outcomes.map(({ status, plan }) => [status, plan.action])).toEqual(
      Array.from({ length: 3 }, () => ['planned', 'send']),
    );
    await road.drain();
    expect(road.completed).toEqual([]);
    const { found, pass } = await lookAt(road);
    await pass.end();
    expect(found).toHaveLength(3);
  });

  test('takes only what is selected, at most the limit, and gives the rest back', async () => {
    const road = await parkedRoad(ids(15));
    const { found, pass } = await lookAt(road);
    await pass.end();
    const messages = found.slice(0, 5).map(({ letter }) => letter.messageId);
    const { outcomes } = await road.redrive({ selection: { messages }, limit: 4 });
    expect(outcomes).toHaveLength(4);
    await road.drain();
    expect(road.completed).toHaveLength(4);
    const rest = await lookAt(road);
    await rest.pass.end();
    expect(rest.found).toHaveLength(11);
  });

  test('keeps the pace it is given', async () => {
    const road = await parkedRoad(ids(6));
    const startedAt = performance.now();
    const at: number[] = [];
    await road.redrive({ ratePerSecond: 4, onOutcome: () => void at.push(performance.now() - startedAt) });
    // The first goes at once, the sixth five quarters of a second after it.
    expect(at).toHaveLength(6);
    expect(at[5]).toBeGreaterThanOrEqual(1_240);
  });
});

describe.concurrent('a FIFO redrive', { timeout: 60_000 }, () => {
  test('keeps each group in order', async () => {
    const road = await parkedRoad(['a1', 'a2', 'a3'], { fifo: true });
    const { outcomes } = await road.redrive();
    expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    await road.drain();
    expect(road.completed).toEqual(['a1', 'a2', 'a3']);
  });

  test('of a message that parks again within five minutes is swallowed by nobody', async () => {
    const road = await parkedRoad(['a1'], { fifo: true });
    road.trouble.set('a1', noSuchCurrency);
    for (let round = 0; round < 3; round += 1) {
      await road.redrive();
      await road.drain();
      expect(await road.left()).toBe(1);
    }
    road.trouble.clear();
    await road.redrive();
    await road.drain();
    expect(road.completed).toEqual(['a1']);
  });

  test('that dies after sending is run again without losing or repeating', async () => {
    const road = await parkedRoad(['a1'], { fifo: true });
    const sqs = sqsThat((command) =>
      command instanceof DeleteMessageCommand ? Promise.reject(new Error('died')) : undefined,
    );
    await road.redrive({ sqs });
    await road.redrive({ readClaim: claimReader(undefined) });
    await road.drain();
    expect(road.completed).toEqual(['a1']);
    expect(await road.left()).toBe(0);
  });
});

describe.concurrent('a look', { timeout: 60_000 }, () => {
  test('finds all of a queue larger than one receive, once each, and gives everything back', async () => {
    const road = await parkedRoad(ids(35));
    for (let time = 0; time < 2; time += 1) {
      const { found, pass } = await lookAt(road);
      expect(await pass.end()).toBe(0);
      expect(new Set(found.map(({ letter }) => letter.messageId)).size).toBe(35);
      expect(found.every(({ claim }) => claim.status === 'found' && claim.row.status === 'parked')).toBe(
        true,
      );
    }
  });

  test('says how many it could not see: another consumer holds them', async () => {
    const road = await parkedRoad(ids(3));
    await aws
      .sqs()
      .send(new ReceiveMessageCommand({ QueueUrl: road.deadLetterQueueUrl, VisibilityTimeout: 30 }));
    const { found, pass } = await lookAt(road);
    expect({ found: found.length, unseen: await pass.end() }).toEqual({ found: 2, unseen: 1 });
  });

  test('stops at its limit and says that there is more', async () => {
    const road = await parkedRoad(ids(12));
    const { found, pass } = await lookAt(road, 5);
    expect(found).toHaveLength(5);
    expect(await pass.end()).toBeGreaterThanOrEqual(2);
  });
});
