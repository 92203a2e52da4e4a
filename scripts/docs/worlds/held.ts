import { consumeOnce, dynamoClaims } from '../../../lib/index.ts';
import { type LocalAws, startLocalAws } from '../../../lib/local/local-aws.ts';
import { memorySqs, sqsEvent } from '../../../lib/testing.ts';
import { makeFolder } from './folder.ts';
import type { World } from './world.ts';

/** A FIFO group that waits for a person: its head failed for the last time, under `fifoPoison: 'hold'`. */
export async function heldWorld(): Promise<World> {
  const aws = await startLocalAws();
  const folder = makeFolder();
  const tableName = await aws.createClaimTable();
  await holdBack(aws, tableName);
  return {
    folder: folder.path,
    env: { ...folder.env, ...aws.env, SQS_ONCE_TABLE: tableName },
    translate: (command) => command,
    async stop() {
      folder.remove();
      await aws.stop();
    },
  };
}

async function holdBack(aws: LocalAws, tableName: string): Promise<void> {
  const handler = consumeOnce<{ orderId: string }>(
    {
      scope: 'capture-payment',
      key: ({ body }) => body.orderId,
      claims: dynamoClaims({ client: aws.dynamo(), tableName }),
      sqs: memorySqs(),
      fifoPoison: 'hold',
      maxAttempts: 1,
      partialResponses: true,
    },
    () => {
      throw new TypeError('cannot read the minor unit of JPY');
    },
  );
  await handler(sqsEvent([{ body: { orderId: 'A-18' }, groupId: 'A' }], { queue: 'payments.fifo' }));
}
