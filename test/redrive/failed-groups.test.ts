// A FIFO group that failed once in a redrive is left alone until the run is over, however it is received.
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { type Redriven, redrive } from '../../lib/redrive/redrive.ts';

interface Told {
  readonly outcomes: readonly string[];
  readonly sent: readonly string[];
  readonly deleted: readonly string[];
}

/** A run over batches as SQS answers them; the `stuck` cannot be sent, the claims of the `unreadable` not be read. */
async function run(
  batches: readonly (readonly string[])[],
  { stuck = ['a1'], fifo = true, dryRun = false, unreadable = [] as readonly string[] } = {},
): Promise<Told> {
  const waiting = [...batches];
  const sent: string[] = [];
  const deleted: string[] = [];
  const send = async (command: object): Promise<object> => {
    if (command instanceof ReceiveMessageCommand) {
      return { Messages: (waiting.shift() ?? []).map(messageOf) };
    }
    if (command instanceof SendMessageCommand) {
      const { MessageBody = '' } = command.input;
      if (stuck.includes(MessageBody)) throw new Error('no room');
      sent.push(MessageBody);
      return { MessageId: `new ${MessageBody}` };
    }
    if (command instanceof DeleteMessageCommand) deleted.push(command.input.ReceiptHandle ?? '');
    return {};
  };
  const outcomes: string[] = [];
  const name = fifo ? 'dead.fifo' : 'dead';
  await redrive({
    sqs: { send } as unknown as SQSClient,
    queue: { url: `https://sqs/${name}`, name, fifo, maxReceiveCount: undefined },
    scope: 'orders',
    readClaim: async (name) => {
      const key = name.status === 'unknown' ? '' : name.rowKey;
      if (unreadable.some((id) => key.endsWith(id))) throw new Error('no such row');
      return { status: 'unknown' };
    },
    selection: {},
    to: fifo ? 'https://sqs/orders.fifo' : 'https://sqs/orders',
    dryRun,
    onOutcome: ({ letter, status, error }: Redriven) =>
      void outcomes.push([letter.messageId, status, ...(error ? [error.message] : [])].join(' ')),
  });
  return { outcomes, sent, deleted };
}

/** The first letter of an id is its group. */
function messageOf(id: string) {
  return {
    MessageId: id,
    ReceiptHandle: id,
    Body: id,
    Attributes: { MessageGroupId: id[0] },
  };
}

const behind = 'failed it stands behind a message of its group that failed';

test('a message received later than the failed one of its group stays, other groups go on', async () => {
  const { outcomes, sent, deleted } = await run([['a1'], ['a2', 'b1'], ['a3']]);
  expect(outcomes.toSorted()).toEqual(['a1 failed no room', `a2 ${behind}`, `a3 ${behind}`, 'b1 done']);
  expect({ sent, deleted }).toEqual({ sent: ['b1'], deleted: ['b1'] });
});

test('the failed message that comes up again is told once, and its group stays behind it', async () => {
  const { outcomes, sent } = await run([['a1'], ['a1', 'a2'], ['a1'], ['a3']]);
  expect(outcomes).toEqual(['a1 failed no room', `a2 ${behind}`, `a3 ${behind}`]);
  expect(sent).toEqual([]);
});

test('a message that went before the failure is not taken back', async () => {
  const { outcomes } = await run([['a1'], ['a2'], ['a3']], { stuck: ['a2'] });
  expect(outcomes).toEqual(['a1 done', 'a2 failed no room', `a3 ${behind}`]);
});

test('outside of FIFO queues a group id is a fair queue’s: nothing waits', async () => {
  const { outcomes } = await run([['a1'], ['a2']], { fifo: false });
  expect(outcomes).toEqual(['a1 failed no room', 'a2 done']);
});

test('on trial the same is said: what cannot be looked up holds its group back', async () => {
  const { outcomes, sent } = await run([['a1'], ['a2'], ['b1']], { dryRun: true, unreadable: ['a1'] });
  expect(outcomes).toEqual(['a1 failed no such row', `a2 ${behind}`, 'b1 planned']);
  expect(sent).toEqual([]);
});
