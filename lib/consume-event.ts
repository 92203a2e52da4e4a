import { type Arrival, arrive, type Captured, capture } from './arrive/message.ts';
import type { SqsBatchResponse, SqsRecord } from './arrive/record.ts';
import { eachMessage } from './each-message.ts';
import { ConfigurationError } from './errors.ts';
import type { InvocationContext } from './handle/deadline.ts';
import { type Gate, processGate } from './handle/gate.ts';
import { lanesOf, runLanes } from './handle/lanes.ts';
import { inTime } from './in-time.ts';
import { beforeTheEnd, type Invocation, openInvocation } from './invocation.ts';
import type { MessageHandler } from './options.ts';
import type { Settings } from './settings.ts';
import { batchResponse } from './settle/batch-response.ts';
import { type Ending, returned } from './settle/ending.ts';
import { unstarted } from './settle/fail-attempt.ts';
import { createQueues, type QueueFacts } from './settle/queues.ts';
import { returnMessages } from './settle/visibility.ts';

/** A consumer's settings and what it has learned of its queues. */
export interface Consumer<Body> {
  readonly settings: Settings<Body>;
  readonly queueOf: (queueArn: string) => QueueFacts;
  /** Who may run beside whom in this process. */
  readonly gate: Gate;
}

export function createConsumer<Body>(settings: Settings<Body>, gate: Gate = processGate): Consumer<Body> {
  return { settings, queueOf: createQueues(settings.sqs, settings.queues), gate };
}

/** The endings of an event's messages, as they become known. */
export type Endings = Map<Captured, Ending>;

/** One event, message by message. */
export async function consumeEvent<Body>(
  consumer: Consumer<Body>,
  records: readonly SqsRecord[],
  context: InvocationContext | undefined,
  handler: MessageHandler<Body>,
): Promise<SqsBatchResponse> {
  const invocation = openInvocation(consumer.settings, consumer.queueOf, context, consumer.gate);
  const messageIds = messageIdsOf(records);
  try {
    const endings: Endings = new Map();
    await runLanes(
      lanesOf(captureAll(records, invocation as Invocation), ({ fifoGroup }) => fifoGroup),
      consumer.settings.concurrency,
      async (captured) => {
        const ending = await readThen(captured, invocation, (arrival) =>
          eachMessage(arrival, invocation, handler),
        );
        endings.set(captured, ending);
        return ending.status === 'acknowledged' ? 'settled' : 'unsettled';
      },
      (captured) => endings.set(captured, unstarted(captured, invocation as Invocation)),
    );
    return await answerEvent(invocation as Invocation, messageIds, endings);
  } finally {
    invocation.close();
  }
}

/** The records of an SQS event, or a clear refusal of anything else. */
export function recordsOf(event: unknown): readonly SqsRecord[] {
  const records = typeof event === 'object' && event !== null ? Reflect.get(event, 'Records') : undefined;
  if (!Array.isArray(records)) {
    throw new ConfigurationError('the event is no SQS event: it has no array of Records');
  }
  for (const record of records as readonly Partial<SqsRecord>[]) {
    if (typeof record !== 'object' || record === null || (record.eventSource ?? 'aws:sqs') !== 'aws:sqs') {
      const source = JSON.stringify(record?.eventSource ?? typeof record);
      throw new ConfigurationError(`a record comes from ${source}; this consumer takes events of SQS only`);
    }
    if (typeof record.body !== 'string') {
      throw new ConfigurationError(
        `a record's body is of type ${typeof record.body}, not text; leave parsing to this consumer's schema or parse, and remove the body parser before it`,
      );
    }
    if (typeof record.eventSourceARN !== 'string') {
      throw new ConfigurationError('a record has no eventSourceARN, so its queue is unknown');
    }
  }
  return records as readonly SqsRecord[];
}

/** Whether a record can be named in an answer. One that cannot is not run, and the invocation fails in the end. */
export function isNameable({ messageId }: { readonly messageId: unknown }): boolean {
  return isName(messageId);
}

function isName(messageId: unknown): messageId is string {
  return typeof messageId === 'string' && messageId.trim() !== '';
}

/** The ids an answer may name, taken before user code, which may hold the event and change it, can lose one. */
export function messageIdsOf(records: readonly SqsRecord[]): readonly unknown[] {
  return records.map(({ messageId }) => messageId);
}

/** All records are captured before any user code for one of them runs; a parser is user code too. */
export function captureAll(records: readonly SqsRecord[], { settings }: Invocation): readonly Captured[] {
  const nowMillis = settings.store.ambient.wallMillis();
  return records.filter(isNameable).map((record) => capture(record, settings.scope, nowMillis));
}

/** Reads a message and goes on with it, unless the time is up first. */
export async function readThen<Body>(
  captured: Captured,
  invocation: Invocation<Body>,
  goOn: (arrival: Arrival<Body>) => Promise<Ending>,
): Promise<Ending> {
  const { deadline, outOfTime, settings } = invocation;
  if (invocation.fatal() !== undefined || !deadline.hasRoom()) {
    return unstarted(captured, invocation as Invocation);
  }
  const arrival = await inTime(arrive(captured, settings.scope, settings.options), outOfTime, undefined);
  if (arrival !== undefined) return goOn(arrival);
  invocation.tell('failed', captured, { reason: 'unread', error: new Error(stillReading) });
  return returned(invocation.backoffMillis(captured.receives));
}

const stillReading = 'the body was still being read when the time ran out';

/** Sets when returned messages come back and builds the answer, or throws what makes the invocation fail. */
export async function answerEvent(
  invocation: Invocation,
  messageIds: readonly unknown[],
  endings: Endings,
): Promise<SqsBatchResponse> {
  const returns = [...endings].filter(([, ending]) => ending.status === 'returned');
  // A doomed invocation leaves the pace to the queue: messages visible at once would only meet the same wall.
  const fatal = invocation.fatal();
  if (fatal === undefined && returns.length > 0)
    await beforeTheEnd(invocation, (signal) => setVisibility(invocation, returns, signal));
  const failure = fatal === undefined ? undefined : loudFailure(fatal, endings);
  const [anyone] = endings.keys();
  if (anyone !== undefined) invocation.tell('answering', anyone);
  if (failure !== undefined) throw failure;
  if (!messageIds.every(isName)) {
    throw new ConfigurationError(
      'a record has no usable messageId, so it cannot be returned by itself; the whole event is returned',
    );
  }
  const returnedIds = new Set(returns.map(([{ messageId }]) => messageId));
  const response = batchResponse(messageIds.filter((messageId) => returnedIds.has(messageId)));
  if (!invocation.settings.partialResponses && response.batchItemFailures.length > 0) {
    throw new Error(
      `${response.batchItemFailures.length} of ${messageIds.length} messages were returned; without partial responses the whole event comes back, and the finished ones are answered as duplicates`,
    );
  }
  return response;
}

/**
 * A failed invocation brings every message back, also one that is done without the table knowing. While there
 * is one of those only the others go back; the next invocation fails.
 */
function loudFailure(fatal: Error, endings: Endings): Error | undefined {
  const unrecorded = [...endings.values()].some(
    (ending) => ending.status === 'acknowledged' && ending.unrecorded,
  );
  return unrecorded ? undefined : fatal;
}

async function setVisibility(
  invocation: Invocation,
  returns: readonly (readonly [Captured, Ending])[],
  signal: AbortSignal,
): Promise<void> {
  const byQueue = Map.groupBy(returns, ([arrival]) => arrival.record.eventSourceARN);
  for (const [queueArn, messages] of byQueue) {
    const timed = messages.flatMap(([arrival, ending]) =>
      ending.status === 'returned' &&
      ending.visibleInMillis !== undefined &&
      typeof arrival.record.receiptHandle === 'string'
        ? [{ receiptHandle: arrival.record.receiptHandle, visibleInMillis: ending.visibleInMillis }]
        : [],
    );
    if (timed.length === 0) continue;
    const queueUrl = await invocation.queueUrlOf(queueArn);
    if (queueUrl !== undefined) await returnMessages(invocation.sqs(), queueUrl, timed, signal);
  }
}
