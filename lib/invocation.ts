import type { SQSClient } from '@aws-sdk/client-sqs';
import { keyHash } from './arrive/row-key.ts';
import type { EngineSettings } from './engine-settings.ts';
import { type Deadline, deadlineOf, type InvocationContext } from './handle/deadline.ts';
import type { Gate } from './handle/gate.ts';
import { inTime, whenOver } from './in-time.ts';
import { abortMillis, answerMillis, defaultLeaseMillis, lastCallMillis } from './lease.ts';
import { type OnceEvent, type OnceEventType, publish } from './observe/events.ts';
import { patientSqs } from './patient-sqs.ts';
import type { Settings } from './settings.ts';
import { backoffMillis } from './settle/backoff.ts';
import type { Ending } from './settle/ending.ts';
import type { QueueFacts } from './settle/queues.ts';
import type { CallLimit } from './store/port.ts';
import type { Work } from './words.ts';

/**
 * What belongs to one invocation and to no other, whether it brings messages or a request: in a warm or shared
 * process nothing of it outlives the answer or is seen by an invocation beside it.
 */
export interface EngineInvocation {
  readonly settings: EngineSettings;
  readonly deadline: Deadline;
  readonly sqs: () => Pick<SQSClient, 'send'>;
  /** Resolves when the answer has to be given, whatever still runs. */
  readonly outOfTime: Promise<void>;
  /** The same for calls to SQS. */
  readonly signal: AbortSignal;
  /** Runs `task` when running attempts must stop, all of them in the same moment; the answer cancels it. */
  whenToStop(task: () => void): () => void;
  tell(type: OnceEventType, work: Work, more?: Partial<OnceEvent>): void;
  /** The answer is given now, whatever still runs. */
  expire(): void;
  /** Ends the timers. */
  close(): void;
}

/** One invocation of a consumer: an event with its messages. */
export interface Invocation<Body = unknown> extends EngineInvocation {
  readonly settings: Settings<Body>;
  readonly gate: Gate;
  /** What is known of a queue, or nothing once the time is up. */
  readonly queueOf: (queueArn: string) => QueueFacts;
  /** The queue's URL, for the answer itself. */
  readonly queueUrlOf: (queueArn: string) => Promise<string | undefined>;
  /** Messages of this event by row key, so that one piece of work that came twice is done once. */
  readonly firsts: Map<string, First>;
  /** What makes this invocation fail as a whole, once it is known; nothing new starts then. */
  fatal(): Error | undefined;
  /** Makes this invocation fail as a whole. The first word counts: one loud failure, not one per message. */
  doom(error: Error): void;
  /** How long a message waits after so many tries; undefined leaves it to the queue. */
  backoffMillis(tries: number): number | undefined;
}

/** The first message of a key in an event. */
export interface First {
  readonly messageId: string;
  readonly fingerprint: string | undefined;
  readonly ending: Promise<Ending>;
}

export function openInvocation<Body>(
  settings: Settings<Body>,
  queueOf: (queueArn: string) => QueueFacts,
  context: InvocationContext | undefined,
  gate: Gate,
): Invocation<Body> {
  const { ambient } = settings.store;
  let fatal: Error | undefined;
  const engine = openEngineInvocation(settings, context);
  return {
    ...engine,
    settings,
    gate,
    queueOf: (queueArn) => untilOutOfTime(queueOf(queueArn), engine.outOfTime),
    queueUrlOf: (queueArn) => queueOf(queueArn).url(),
    firsts: new Map(),
    fatal: () => fatal,
    doom(error) {
      fatal ??= error;
    },
    backoffMillis: (tries) =>
      settings.backoff === false ? undefined : backoffMillis(settings.backoff, tries, ambient.chance()),
  };
}

/** A lookup is remembered for the whole process, so it goes on; only this invocation stops waiting for it. */
function untilOutOfTime(facts: QueueFacts, outOfTime: Promise<void>): QueueFacts {
  return {
    url: () => inTime(facts.url(), outOfTime, undefined),
    deadLetterQueueUrl: () => inTime(facts.deadLetterQueueUrl(), outOfTime, undefined),
    maxReceiveCount: () => inTime(facts.maxReceiveCount(), outOfTime, undefined),
  };
}

/** The part of an invocation that consumer and receiver share. */
export function openEngineInvocation(
  settings: EngineSettings,
  context: InvocationContext | undefined,
): EngineInvocation {
  const deadline = deadlineOf(context, settings.store.ambient);
  const controller = new AbortController();
  const { promise: outOfTime, resolve } = Promise.withResolvers<void>();
  const expire = () => {
    controller.abort();
    resolve();
  };
  const cancelAnswer = deadline.whenLeft(answerMillis, expire);
  const stop = Promise.withResolvers<void>();
  const cancelStop = deadline.whenLeft(abortMillis, stop.resolve);
  return {
    settings,
    deadline,
    sqs: () => patientSqs(settings.sqs(), settings.store.ambient, longestCallMillis),
    outOfTime,
    signal: controller.signal,
    whenToStop: (task) => whenOver(stop.promise, task),
    tell(type, work, more) {
      publish(settings.observers, () => ({
        type,
        scope: settings.scope,
        keyHash: keyHash(work.toldAs),
        messageId: work.messageId,
        ...(work.queueArn !== undefined
          ? { queue: work.queueArn.slice(work.queueArn.lastIndexOf(':') + 1) }
          : {}),
        ...(work.trace !== undefined ? { trace: work.trace } : {}),
        ...more,
      }));
    },
    expire,
    close() {
      cancelStop();
      cancelAnswer();
    },
  };
}

/** The longest a call may hang. */
const longestCallMillis = 5_000;

/** One call to the table, below the lease and within the invocation's time. */
export function callLimit(invocation: EngineInvocation, mostMillis = longestCallMillis): CallLimit {
  const left = invocation.deadline.remainingMillis() - answerMillis;
  return { timeoutMillis: Math.max(50, Math.min(mostMillis, longestCallMillis, left)) };
}

/** Work for the answer itself: it may go on when everything else had to end, but not to the very end. */
export async function beforeTheEnd(
  { settings, deadline }: EngineInvocation,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const controller = new AbortController();
  const end = () => {
    controller.abort();
    resolve();
  };
  const cancelEnd = deadline.whenLeft(lastCallMillis, end);
  const cancelPatience = settings.store.ambient.after(longestCallMillis, end);
  try {
    await Promise.race([work(controller.signal), over]);
  } finally {
    cancelEnd();
    cancelPatience();
  }
}

/** The lease of a claim taken now: to the end of the invocation, or a short one that a heartbeat renews. */
export function leaseMillisNow({ settings, deadline }: EngineInvocation): number {
  if (settings.leaseMillis !== undefined) return settings.leaseMillis;
  return deadline.known ? Math.max(0, deadline.remainingMillis()) + 1_000 : defaultLeaseMillis;
}

/** Whether claims need a heartbeat: their lease does not reach to the end of the invocation. */
export function needsHeartbeat({ settings, deadline }: EngineInvocation): boolean {
  return settings.leaseMillis !== undefined || !deadline.known;
}
