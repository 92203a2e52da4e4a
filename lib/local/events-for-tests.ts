import type { SqsEvent, SqsMessageAttribute, SqsRecord } from '../arrive/record.ts';
import { expectWithin } from '../expect-within.ts';

/** One message of an event for a test. */
export interface EventMessage {
  /** An object is sent as JSON, a string as it is. */
  readonly body: unknown;
  /** @default `message-1`, `message-2`, … */
  readonly messageId?: string;
  readonly groupId?: string;
  /** `ApproximateReceiveCount`. @default 1 */
  readonly receives?: number;
  /** @default now */
  readonly sentAt?: Date;
  readonly messageAttributes?: Readonly<Record<string, SqsMessageAttribute>>;
}

const account = '000000000000';

/**
 * An SQS event as Lambda hands it over.
 *
 * @param options `queue` names the queue; a name that ends in `.fifo` makes it one.
 * @throws TypeError when it is given no list, or a message without a body
 * @example
 * ```ts
 * const event = sqsEvent([{ body: { orderId: 'A-17' } }]);
 * ```
 */
export function sqsEvent(
  messages: readonly EventMessage[],
  options: { readonly queue?: string } = {},
): SqsEvent {
  if (!Array.isArray(messages)) {
    throw new TypeError(`sqsEvent was given ${kindOf(messages)}; give a list of messages: ${example}`);
  }
  const queue = options.queue ?? 'test-queue';
  return { Records: messages.map((message, place) => recordOf(message, place, queue)) };
}

const example = "[{ body: { orderId: 'A-17' } }]";

function recordOf(message: EventMessage, place: number, queue: string): SqsRecord {
  const body = bodyOf(message);
  if (body === undefined) {
    const got = typeof message === 'object' && message !== null ? Object.keys(message).join(', ') : '';
    const names = got === '' ? kindOf(message) : `an object with ${got}`;
    throw new TypeError(
      `message ${place + 1} of sqsEvent has no body, it is ${names}; give one as in ${example}`,
    );
  }
  const messageId = message.messageId ?? `message-${place + 1}`;
  const sentAt = String((message.sentAt ?? new Date()).getTime());
  return {
    messageId,
    receiptHandle: `receipt handle of ${messageId}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(message.receives ?? 1),
      SentTimestamp: sentAt,
      ApproximateFirstReceiveTimestamp: sentAt,
      SenderId: 'test',
      ...(message.groupId !== undefined ? { MessageGroupId: message.groupId } : {}),
    },
    messageAttributes: message.messageAttributes ?? {},
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:${account}:${queue}`,
    awsRegion: 'us-east-1',
  };
}

/** What is sent; undefined for what is no JSON. */
function bodyOf(message: EventMessage | null | undefined): string | undefined {
  const body = message?.body;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What a handler is handed beside the event, as far as the toolkit and Middy read it. */
export interface TestContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  getRemainingTimeInMillis(): number;
}

/**
 * A Lambda context for a test, with so much time left at every reading.
 *
 * @param remainingSeconds default 30
 * @example
 * ```ts
 * await handler(sqsEvent([{ body: {} }]), lambdaContext(3));
 * ```
 */
export function lambdaContext(remainingSeconds = 30): TestContext {
  return {
    awsRequestId: 'request-1',
    functionName: 'test',
    getRemainingTimeInMillis: () => remainingSeconds * 1_000,
  };
}

/**
 * Hands an event to a handler again and again, as SQS does when an acknowledgement is lost: each time with
 * the receive counts one higher. Answers what the handler answered each time.
 *
 * @param handler a Lambda handler, Middy's included
 * @param times 1 to 10,000
 * @example
 * ```ts
 * await redeliver(handler, sqsEvent([{ body: { orderId: 'A-17' } }]), 3);
 * ```
 */
export async function redeliver<Answer>(
  // Any event and context type: a handler states its own.
  handler: (event: never, context: never) => Answer,
  event: SqsEvent,
  times: number,
): Promise<readonly Awaited<Answer>[]> {
  expectWithin('times', times, 1, 10_000);
  const call = handler as (event: SqsEvent, context: TestContext) => Answer;
  const answers: Awaited<Answer>[] = [];
  for (let delivery = 0; delivery < times; delivery += 1) {
    const Records = event.Records.map((record) => received(record, delivery));
    answers.push(await call({ Records }, lambdaContext()));
  }
  return answers;
}

function received(record: SqsRecord, more: number): SqsRecord {
  const receives = Number(record.attributes.ApproximateReceiveCount ?? '1') + more;
  return { ...record, attributes: { ...record.attributes, ApproximateReceiveCount: String(receives) } };
}
