import assert from 'node:assert/strict';
import type { Deployment } from './deployment.ts';
import { eventually, type Item } from './outside.ts';

/** A law of the deployed consumer and the way to see it. */
export type Law = readonly [sentence: string, see: (deployment: Deployment) => Promise<void>];

/** What holds of the consumer as it was first deployed, with two attempts a message. */
export const lawsOfTheFirstDeployment: readonly Law[] = [
  [
    'a message sent three times is handled once and captured in the same transaction as its claim',
    async (deployment) => {
      await deployment.send({ orderId: 'thrice' }, 3);
      await settled(deployment, 'thrice', 'completed');
      await deployment.untilIdle();
      assert.equal(await deployment.runs('thrice'), 1);
      assert.ok(await deployment.capture('thrice'));
    },
  ],
  [
    'a handler that throws once succeeds at its second attempt',
    async (deployment) => {
      await deployment.send({ orderId: 'stumbles', behave: 'throw-once' });
      const claim = await settled(deployment, 'stumbles', 'completed');
      assert.equal(claim.attempts, 2);
      assert.equal(await deployment.runs('stumbles'), 2);
    },
  ],
  [
    'a handler that always throws is tried as often as the construct says, then its message is parked with the reason',
    async (deployment) => {
      await deployment.send({ orderId: 'hopeless', behave: 'throw' });
      await settled(deployment, 'hopeless', 'parked');
      assert.equal(await deployment.runs('hopeless'), 2);
      assert.equal(await deployment.capture('hopeless'), undefined);
      assert.deepEqual(await parkedReasons(deployment), ['attempts-exhausted']);
    },
  ],
  [
    'poison is parked at once, whether it throws or cannot be read',
    async (deployment) => {
      await deployment.send({ orderId: 'poisonous', behave: 'poison' });
      await deployment.sendText('not JSON at all');
      await settled(deployment, 'poisonous', 'parked');
      await deployment.untilIdle();
      assert.equal(await deployment.runs('poisonous'), 1);
      assert.deepEqual((await parkedReasons(deployment)).sort(), ['poison', 'unparseable']);
    },
  ],
  [
    'follow-ups of completed messages are sent, those of others are not',
    async (deployment) => {
      const sent = await deployment.drain('Receipts');
      const orders = sent.map(({ Body }) => JSON.parse(Body ?? '{}').orderId);
      assert.deepEqual([...new Set(orders)].sort(), ['stumbles', 'thrice']);
    },
  ],
];

/** What holds once the stack was deployed again with three attempts a message. */
export const lawsOfTheSecondDeployment: readonly Law[] = [
  [
    'a duplicate is answered across deployments',
    async (deployment) => {
      await deployment.send({ orderId: 'thrice' });
      await deployment.untilIdle();
      assert.equal(await deployment.runs('thrice'), 1);
    },
  ],
  [
    'a changed prop reaches the function',
    async (deployment) => {
      await deployment.send({ orderId: 'hopeless-again', behave: 'throw' });
      await settled(deployment, 'hopeless-again', 'parked');
      assert.equal(await deployment.runs('hopeless-again'), 3);
      assert.deepEqual(await parkedReasons(deployment), ['attempts-exhausted']);
    },
  ],
];

async function settled(deployment: Deployment, orderId: string, status: string): Promise<Item> {
  const row = await eventually(
    `the claim of ${orderId}`,
    () => deployment.claim(orderId),
    (claim) => claim?.status === status,
  );
  return row ?? {};
}

async function parkedReasons(deployment: Deployment): Promise<string[]> {
  const parked = await eventually(
    'parked messages',
    () => deployment.drain('DeadLetterQueue'),
    (messages) => messages.length > 0,
  );
  return parked.map(({ MessageAttributes }) => {
    const story = JSON.parse(MessageAttributes?.['sqs-once']?.StringValue ?? '{}');
    return String(story.reason);
  });
}
