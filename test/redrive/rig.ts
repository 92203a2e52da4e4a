import { DeleteMessageBatchCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
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
  /** Delivers until the queue is empty. */
  drain(): Promise<void>;
  /** While an id is in here, its message fails with the error. */
  readonly trouble: Map<string, Error>;
  /** Ids the handler completed, in order. */
  readonly completed: string[];
  redrive(
    options?: Partial<RedriveOptions>,
  ): Promise<{ readonly outcomes: readonly Redriven[]; readonly unseen: number }>;
  /** Messages in the dead-letter queue. */
  left(): Promise<number>;
  row(key: string): Promise<ClaimRow | undefined>;
}

let roads = 0;

export async function openRoad(
  aws: LocalAws,
  tableName: string,
  { fifo = false, key }: { readonly fifo?: boolean; readonly key?: string } = {},
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
  const handler: MessageHandler<{ readonly id: string }> = ({ body }) => {
    const error = trouble.get(body.id);
    if (error !== undefined) throw error;
    completed.push(body.id);
  };
  const lambda = consumeOnce(
    {
      scope,
      claims,
      sqs: aws.sqs(),
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

  return {
    ...pair,
    scope,
    deadLetters,
    trouble,
    completed,
    send: (id, { group = 'a', attributes = 1, body = JSON.stringify({ id }) } = {}) =>
      sendTo(pair.queueUrl, body, group, attributes),
    deadLetter: (id, attributes = 1) =>
      sendTo(pair.deadLetterQueueUrl, JSON.stringify({ id }), 'a', attributes),
    async drain() {
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: pair.queueUrl,
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        );
        if (Messages.length === 0) return;
        const records = Messages.map((message) => toRecord(message, pair.queueArn));
        const { batchItemFailures } = await lambda({ Records: records });
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        const Entries = records
          .filter(({ messageId }) => !failed.has(messageId))
          .map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
        if (Entries.length > 0) {
          await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: pair.queueUrl, Entries }));
        }
      }
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
