import { expectWithin } from '../expect-within.ts';

/** A message that was sent: parked, or a follow-up. */
export interface SentMessage {
  readonly queueUrl: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A message that was given back, and when it would be visible again. */
export interface ReturnedMessage {
  readonly receiptHandle: string;
  readonly visibleInSeconds: number;
}

/** SQS as a consumer needs it, in memory: that of `memoryClaims()`, or one for the option `sqs`. */
export interface MemorySqs {
  // biome-ignore lint/suspicious/noExplicitAny: takes any of the SDK's commands and answers what that one answers
  send(command: any): Promise<any>;
  /** What was sent, in order. */
  readonly sent: readonly SentMessage[];
  /** What was given back, in order. */
  readonly returned: readonly ReturnedMessage[];
}

/** Options of {@link memorySqs}. */
export interface MemorySqsOptions {
  /** Receives after which SQS would move a message to the dead-letter queue, 1 to 1,000. @default 15 */
  readonly maxReceiveCount?: number;
}

const queues = 'https://sqs.us-east-1.amazonaws.com/000000000000/';
const arns = 'arn:aws:sqs:us-east-1:000000000000:';

interface Entry {
  readonly Id?: string;
  readonly QueueUrl?: string;
  readonly QueueName?: string;
  readonly MessageBody?: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
  readonly ReceiptHandle?: string;
  readonly VisibilityTimeout?: number;
  readonly Entries?: readonly Entry[];
}

/**
 * An SQS for unit tests that reaches nothing: it takes what is sent, remembers what is given back, and says of
 * each queue `name` that its dead-letter queue is `name-dlq`. It delivers nothing: events come from
 * {@link sqsEvent}.
 *
 * @example
 * ```ts
 * const sqs = memorySqs({ maxReceiveCount: 3 });
 * const handler = consumeOnce({ scope: 'test', claims: memoryClaims(), sqs }, () => {
 *   throw new PoisonMessageError('never');
 * });
 * await handler(sqsEvent([{ body: {} }]));
 * console.log(sqs.sent); // one message, in the dead-letter queue
 * ```
 */
export function memorySqs(options: MemorySqsOptions = {}): MemorySqs {
  const { maxReceiveCount = 15 } = options;
  expectWithin('maxReceiveCount', maxReceiveCount, 1, 1_000);
  const sent: SentMessage[] = [];
  const returned: ReturnedMessage[] = [];

  const take = (queueUrl: string, entry: Entry) => sent.push(sentMessage(queueUrl, entry));
  const giveBack = (entry: Entry) =>
    returned.push({
      receiptHandle: entry.ReceiptHandle ?? '',
      visibleInSeconds: entry.VisibilityTimeout ?? 0,
    });
  const answers: Readonly<Record<string, (input: Entry) => object>> = {
    GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `${queues}${QueueName}` }),
    GetQueueAttributes: ({ QueueUrl = '' }) => ({
      Attributes: { RedrivePolicy: redrivePolicy(QueueUrl, maxReceiveCount) },
    }),
    SendMessage: (input) => ({ MessageId: `sent-${take(input.QueueUrl ?? '', input)}` }),
    SendMessageBatch: ({ QueueUrl = '', Entries = [] }) => ({
      Successful: Entries.map((entry) => ({ Id: entry.Id, MessageId: `sent-${take(QueueUrl, entry)}` })),
      Failed: [],
    }),
    ChangeMessageVisibility: (input) => ({ ...(giveBack(input) && {}) }),
    ChangeMessageVisibilityBatch: ({ Entries = [] }) => ({
      Successful: Entries.map((entry) => ({ Id: entry.Id, ...(giveBack(entry) && {}) })),
      Failed: [],
    }),
  };

  return {
    sent,
    returned,
    async send(command) {
      const name = String(command?.constructor?.name).replace(/Command$/, '');
      const answer = answers[name];
      if (answer === undefined) {
        throw new Error(`memorySqs does not know ${name}; it knows ${Object.keys(answers).join(', ')}`);
      }
      return answer(command.input);
    },
  };
}

function redrivePolicy(queueUrl: string, maxReceiveCount: number): string {
  const name = queueUrl.split('/').at(-1) ?? '';
  const deadLetters = name.endsWith('.fifo') ? `${name.slice(0, -5)}-dlq.fifo` : `${name}-dlq`;
  return JSON.stringify({ deadLetterTargetArn: `${arns}${deadLetters}`, maxReceiveCount });
}

function sentMessage(queueUrl: string, entry: Entry): SentMessage {
  const attributes = Object.entries(entry.MessageAttributes ?? {});
  return {
    queueUrl,
    body: entry.MessageBody ?? '',
    groupId: entry.MessageGroupId,
    deduplicationId: entry.MessageDeduplicationId,
    attributes: Object.fromEntries(attributes.map(([name, value]) => [name, value.StringValue ?? ''])),
  };
}
