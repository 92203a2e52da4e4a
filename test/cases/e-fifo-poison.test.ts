/** Field cases 16 and 17, on a real FIFO queue: a group goes on or is held, and ids survive the way back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PoisonMessageError } from '../../lib/errors.ts';
import { type LocalAws, startLocalAws } from '../../lib/local/local-aws.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import { openRoad, type Road } from '../redrive/rig.ts';
import { limit } from '../support/claims.ts';

let aws: LocalAws;
let table: string;
beforeAll(async () => {
  aws = await startLocalAws();
  table = await aws.createClaimTable();
});
afterAll(() => aws.stop());

const poison = new PoisonMessageError('no such currency');

/** What `sqs-once claims release` does, with and without `--park`. */
async function letGo(road: Road, messageId: string, how: 'reopen' | 'letGo'): Promise<void> {
  const row = await road.row(messageId);
  if (row === undefined) throw new Error('there is no row');
  const claims = dynamoClaims({ client: aws.dynamo(), tableName: table });
  expect((await claims[how](row, 'a person', Date.now(), limit)).status).toBe('landed');
}

describe('case 16: poison in a group', () => {
  test('continue: the rest of the group runs once the poison is parked', async () => {
    const road = await openRoad(aws, table, { fifo: true });
    road.trouble.set('g1', poison);
    for (const id of ['g1', 'g2', 'g3']) await road.send(id, { group: 'g' });
    await road.send('h1', { group: 'h' });
    await road.drain();
    expect(road.completed.filter((id) => id.startsWith('g'))).toEqual(['g2', 'g3']);
    expect(road.completed).toContain('h1');
    expect(await road.left()).toBe(1);
  });

  test.each([
    ['reopen', ['h1', 'g1', 'g2', 'g3'], 0],
    ['letGo', ['h1', 'g2', 'g3'], 1],
  ] as const)('hold: nothing of the group runs until a person lets go (%s)', async (how, completed, left) => {
    const road = await openRoad(aws, table, { fifo: true, fifoPoison: 'hold' });
    road.trouble.set('g1', poison);
    for (const id of ['g1', 'g2', 'g3']) await road.send(id, { group: 'g' });
    await road.send('h1', { group: 'h' });
    const first = await road.deliver();
    await road.drain();
    const [head] = first.records.filter(({ body }) => body.includes('g1'));
    if (head === undefined) throw new Error('the poison was not delivered first');
    expect([road.completed, await road.left()]).toEqual([['h1'], 0]);

    // A quarter of an hour later it is asked about again, and still does not run.
    await road.reveal([head]);
    const again = await road.deliver();
    expect(again.failed).toEqual([head.messageId]);
    expect((await road.row(head.messageId))?.attempts).toBeGreaterThan(0);

    road.trouble.clear();
    await letGo(road, head.messageId, how);
    await road.reveal(again.records);
    await road.drain();
    expect([road.completed, await road.left()]).toEqual([completed, left]);
  });
});

describe('case 17: parking and redrive keep group and work together', () => {
  test('two attempts of one key, parked within five minutes, are two dead letters and one piece of work', async () => {
    const road = await openRoad(aws, table, { fifo: true, key: 'order-1' });
    road.trouble.set('g1', poison);
    await road.send('g1', { group: 'g' });
    await road.drain();
    const first = await road.redrive();
    await road.drain();
    const second = await road.redrive();
    const letters = [...first.outcomes, ...second.outcomes].map(({ letter }) => letter);
    expect(letters.map(({ groupId, once }) => [groupId, once?.key])).toEqual([
      ['g', 'order-1'],
      ['g', 'order-1'],
    ]);
    expect(new Set(letters.map(({ once }) => once?.parkId)).size).toBe(2);
    // What the message was called at first is kept as data.
    expect(new Set(letters.map(({ once }) => once?.messageId)).size).toBe(1);
    road.trouble.clear();
    await road.drain();
    expect(road.completed).toEqual(['g1']);
    expect(await road.row('order-1')).toMatchObject({ status: 'completed', fence: 3 });
  });
});
