import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { rowKey } from '../../lib/arrive/row-key.ts';
import { consumeOnce } from '../../lib/consumer.ts';
import type { LocalAws } from '../../lib/local/local-aws.ts';
import type { QueuePair } from '../../lib/local/queues.ts';
import { toRecord } from '../../lib/local/record.ts';
import type { MessageHandler } from '../../lib/options.ts';
import { claimReader } from '../../lib/redrive/claims.ts';
import { countsOf, type DeadLetterQueue, findQueue } from '../../lib/redrive/queue.ts';
import { type Redriven, type RedriveOptions, redrive } from '../../lib/redrive/redrive.ts';
import { dynamoClaims } from '../../lib/store/dynamo.ts';
import type { ClaimRow } from '../../lib/words.ts';

/** A queue with its dead-letter queue and a consumer of its own, on real emulators. */
export interface Road extends QueuePair {
  readonly scope: string;
  readonly deadLetters: DeadLetterQueue;
  send(
    id: string,
    more?: { readonly group?: string; readonly attributes?: number; readonly body?: string },
  ): Promise<void>;
  /** Sends straight to the dead-letter queue, as SQS moves a message there: without a story. */
  deadLetter(id: string, attributes?: number): Promise<void>;
  /** One receive, handled; what was acknowledged is deleted, unless that gets lost. */
  deliver(options?: { readonly acknowledge?: boolean }): Promise<Delivered>;
  /** Delivers until the queue has nothing to give. */
  drain(): Promise<void>;
  /** Makes received messages visible again at once. */
  reveal(records: readonly SqsRecord[]): Promise<void>;
  /** While an id is in here, its message fails with the error. */
  readonly trouble: Map<string, Error>;
  /** Ids the handler completed, in order, and the records they came in. */
  readonly completed: string[];
  readonly records: SqsRecord[];
  redrive(
    options?: Partial<RedriveOptions>,
  ): Promise<{ readonly outcomes: readonly Redriven[]; readonly unseen: number }>;
  /** Messages in the dead-letter queue. */
  left(): Promise<number>;
  row(key: string): Promise<ClaimRow | undefined>;
}

export interface Delivered {
  readonly records: readonly SqsRecord[];
  readonly failed: readonly string[];
}

export interface RoadOptions {
  readonly fifo?: boolean;
  /** The key of every message, instead of its id. */
  readonly key?: string;
  /** SQS as the consumer sees it. */
  readonly sqs?: Pick<SQSClient, 'send'>;
  readonly fifoPoison?: 'continue' | 'hold';
}

let roads = 0;

export async function openRoad(
  aws: LocalAws,
  tableName: string,
  { fifo = false, key, sqs: consumerSqs = aws.sqs(), fifoPoison = 'continue' }: RoadOptions = {},
): Promise<Road> {
  roads += 1;
  const scope = `road-${roads}`;
  const pair = await aws.createQueuePair({
    name: scope,
    fifo,
    maxReceiveCount: 50,
    visibilityTimeoutSeconds: 30,
  });
  const claims = dynamoClaims({ client: aws.dynamo(), tableName });
  const trouble = new Map<string, Error>();
  const completed: string[] = [];
  const records: SqsRecord[] = [];
  const handler: MessageHandler<{ readonly id: string }> = ({ body, record }) => {
    const error = trouble.get(body.id);
    if (error !== undefined) throw error;
    completed.push(body.id);
    records.push(record);
  };
  const lambda = consumeOnce(
    {
      scope,
      claims,
      sqs: consumerSqs,
      fifoPoison,
      queueUrl: pair.queueUrl,
      deadLetterQueueUrl: pair.deadLetterQueueUrl,
      partialResponses: true,
      backoff: { minSeconds: 0, maxSeconds: 0 },
      maxAttempts: 2,
      ...(key !== undefined ? { key: () => key } : {}),
    },
    handler,
  );
  const deadLetters = await findQueue(aws.sqs(), pair.deadLetterQueueUrl);
  const sqs = aws.sqs();

  async function sendTo(QueueUrl: string, body: string, group: string, attributes: number): Promise<void> {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageAttributes: attributesOf(attributes),
        ...(fifo ? { MessageGroupId: group } : {}),
      }),
    );
  }

  async function reveal(records: readonly SqsRecord[]): Promise<void> {
    for (const { receiptHandle: ReceiptHandle } of records) {
      await sqs.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: pair.queueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    }
  }

  async function deliver({ acknowledge = true } = {}): Promise<Delivered> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: pair.queueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    const records = Messages.map((message) => toRecord(message, pair.queueArn));
    if (records.length === 0) return { records, failed: [] };
    const { batchItemFailures } = await lambda({ Records: records });
    const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    const done = records.filter(({ messageId }) => !failed.includes(messageId));
    if (!acknowledge) await reveal(done);
    else if (done.length > 0) await remove(done);
    return { records, failed };
  }

  async function remove(records: readonly SqsRecord[]): Promise<void> {
    const Entries = records.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
    }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: pair.queueUrl, Entries }));
  }

  return {
    ...pair,
    scope,
    deadLetters,
    trouble,
    completed,
    records,
    send: (id, { group = 'a', attributes = 1, body = JSON.stringify({ id }) } = {}) =>
      sendTo(pair.queueUrl, body, group, attributes),
    deadLetter: (id, attributes = 1) =>
      sendTo(pair.deadLetterQueueUrl, JSON.stringify({ id }), 'a', attributes),
    deliver,
    reveal,
    async drain() {
      while ((await deliver()).records.length > 0);
    },
    async redrive(options = {}) {
      const outcomes: Redriven[] = [];
      const unseen = await redrive({
        sqs,
        queue: deadLetters,
        readClaim: claimReader(claims),
        selection: {},
        dryRun: false,
        onOutcome: (outcome) => void outcomes.push(outcome),
        ...options,
      });
      return { outcomes, unseen };
    },
    async left() {
      const { visible, inFlight } = await countsOf(sqs, pair.deadLetterQueueUrl);
      return visible + inFlight;
    },
    row: (key) => claims.read(rowKey(scope, key), { timeoutMillis: 5_000 }),
  };
}

function attributesOf(count: number) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, place) => [
      `a${place}`,
      { DataType: 'String', StringValue: String(place) },
    ]),
  );
}
