/** Field cases 18 to 20, on a real queue and a real table: duplicates, the halves of parking, and asking for later. */
import {
  ChangeMessageVisibilityBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { claimReader } from '../../lib/redrive/claims.ts';
import { look } from '../../lib/redrive/look.ts';
import { openRoad, type Road } from '../redrive/rig.ts';

let aws: LocalAws;
let table: string;
beforeAll(async () => {
  aws = await startLocalAws();
  table = await aws.createClaimTable();
});
afterAll(() => aws.stop());

const poison = new PoisonMessageError('no such currency');

/** The consumer's SQS, which answers a command otherwise when it is told to. */
function meddled(): {
  readonly sqs: Pick<SQSClient, 'send'>;
  answer: (command: object) => unknown;
  readonly seen: object[];
} {
  const seen: object[] = [];
  const state = {
    seen,
    answer: (_: object): unknown => undefined,
    sqs: {
      send: async (command: never) => {
        seen.push(command);
        return state.answer(command) ?? aws.sqs().send(command);
      },
    } as unknown as Pick<SQSClient, 'send'>,
  };
  return state;
}

async function deadLettersOf(road: Road) {
  const readClaim = claimReader(undefined);
  const { found, pass } = await look({
    sqs: aws.sqs(),
    queue: road.deadLetters,
    readClaim,
    selection: {},
    limit: 100,
  });
  await pass.end();
  return found.map(({ letter }) => letter);
}

describe('case 18: a finished duplicate is no failure', () => {
  test('its delete lost ten times, it is acknowledged each time, and never parked', async () => {
    const road = await openRoad(aws, table);
    await road.send('order-1');
    for (let delivery = 1; delivery <= 10; delivery += 1) {
      const { records, failed } = await road.deliver({ acknowledge: false });
      expect([records[0]?.attributes.ApproximateReceiveCount, failed]).toEqual([String(delivery), []]);
    }
    await road.drain();
    expect([road.completed, await road.left()]).toEqual([['order-1'], 0]);
  });
});

describe('case 19: the halves of parking fail separately', () => {
  test.each([
    ['refused', () => Promise.reject(Object.assign(new Error('no'), { name: 'QueueDoesNotExist' }))],
    ['answered by 200 with a list of failures', () => ({ Failed: [{ Id: '0', Code: 'InternalError' }] })],
  ])('a sending that is %s is made good by the redelivery, with one copy', async (_, refuse) => {
    const consumer = meddled();
    const road = await openRoad(aws, table, { sqs: consumer.sqs });
    road.trouble.set('order-1', poison);
    await road.send('order-1');
    consumer.answer = (command) => (command instanceof SendMessageCommand ? refuse() : undefined);
    const { failed } = await road.deliver();
    expect([failed.length, await road.left()]).toEqual([1, 0]);
    consumer.answer = () => undefined;
    await road.drain();
    expect(await deadLettersOf(road)).toMatchObject([{ once: { reason: 'poison', attempts: 1 } }]);
  });

  test('sent and not deleted, it is acknowledged by the redelivery, and there is no second copy', async () => {
    const road = await openRoad(aws, table);
    road.trouble.set('order-1', poison);
    await road.send('order-1');
    await road.deliver({ acknowledge: false });
    const { failed } = await road.deliver();
    expect([failed, await road.left()]).toEqual([[], 1]);
  });

  test('accepted though nobody heard of it, there is one copy more, with the same park id, and the work is done once', async () => {
    const consumer = meddled();
    const road = await openRoad(aws, table, { sqs: consumer.sqs });
    road.trouble.set('order-1', poison);
    await road.send('order-1');
    consumer.answer = (command) =>
      command instanceof SendMessageCommand
        ? aws
            .sqs()
            .send(command)
            .then(() => Promise.reject(new Error('socket hang up')))
        : undefined;
    await road.deliver();
    consumer.answer = () => undefined;
    await road.drain();
    const copies = await deadLettersOf(road);
    expect(copies).toHaveLength(2);
    expect(new Set(copies.map(({ once }) => once?.parkId)).size).toBe(1);
    road.trouble.clear();
    await road.redrive();
    await road.drain();
    expect([road.completed, await road.left()]).toEqual([['order-1'], 0]);
  });
});

describe('case 20: later is a matter of visibility, never of sending again', () => {
  test('asked for twenty times, it is one message on one queue that is received again and again', async () => {
    const consumer = meddled();
    const road = await openRoad(aws, table, { sqs: consumer.sqs });
    road.trouble.set('order-1', new RetryLaterError({ afterSeconds: 0 }));
    await road.send('order-1');
    for (let delivery = 1; delivery <= 20; delivery += 1) {
      const { records, failed } = await road.deliver();
      expect([records[0]?.attributes.ApproximateReceiveCount, failed.length]).toEqual([String(delivery), 1]);
    }
    road.trouble.clear();
    await road.drain();
    expect(road.completed).toEqual(['order-1']);
    expect(consumer.seen.filter((command) => command instanceof SendMessageCommand)).toEqual([]);
    expect(await road.left()).toBe(0);
  });

  test.each([
    ['refused', () => Promise.reject(Object.assign(new Error('no'), { name: 'ReceiptHandleIsInvalid' }))],
    ['answered with failed entries', () => ({ Failed: [{ Id: '0', Code: 'InvalidParameterValue' }] })],
  ])(
    'a visibility that is %s is harmless: the message is listed as failed and comes by itself',
    async (_, refuse) => {
      vi.spyOn(console, 'warn').mockImplementation(() => {});
      const consumer = meddled();
      const road = await openRoad(aws, table, { sqs: consumer.sqs });
      road.trouble.set('order-1', new RetryLaterError({ afterSeconds: 0 }));
      await road.send('order-1');
      consumer.answer = (command) =>
        command instanceof ChangeMessageVisibilityBatchCommand ? refuse() : undefined;
      const { records, failed } = await road.deliver();
      expect(failed).toEqual(records.map(({ messageId }) => messageId));
      const hidden = await aws.sqs().send(new ReceiveMessageCommand({ QueueUrl: road.queueUrl }));
      expect(hidden.Messages ?? []).toEqual([]);
      await road.reveal(records);
      road.trouble.clear();
      await road.drain();
      expect(road.completed).toEqual(['order-1']);
    },
  );
});
