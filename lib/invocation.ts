import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Arrival } from './arrive/message.ts';
import { type Deadline, deadlineOf, type InvocationContext } from './handle/deadline.ts';
import { type Gate, processGate } from './handle/gate.ts';
import { abortMillis, answerMillis, defaultLeaseMillis } from './lease.ts';
import { type OnceEvent, type OnceEventType, publish } from './observe/events.ts';
import type { Settings } from './settings.ts';
import { backoffMillis } from './settle/backoff.ts';
import type { Ending } from './settle/ending.ts';
import type { QueueFacts } from './settle/queues.ts';
import type { CallLimit } from './store/port.ts';

/**
 * What belongs to one invocation and to no other: in a warm or shared process nothing of it outlives the
 * answer or is seen by an invocation beside it.
 */
export interface Invocation<Body = unknown> {
  readonly settings: Settings<Body>;
  readonly deadline: Deadline;
  readonly gate: Gate;
  readonly queueOf: (queueArn: string) => QueueFacts;
  readonly sqs: () => Pick<SQSClient, 'send'>;
  /** Messages of this event by row key, so that one piece of work that came twice is done once. */
  readonly firsts: Map<string, First>;
  /** Resolves when the answer has to be given, whatever still runs. */
  readonly outOfTime: Promise<void>;
  /** The same for calls to SQS. */
  readonly signal: AbortSignal;
  /** Runs `task` when running attempts must stop; the answer cancels it. */
  whenToStop(task: () => void): () => void;
  /** What makes this invocation fail as a whole, once it is known; nothing new starts then. */
  fatal(): Error | undefined;
  /** Makes this invocation fail as a whole. The first word counts: one loud failure, not one per message. */
  doom(error: Error): void;
  /** How long a message waits after so many tries; undefined leaves it to the queue. */
  backoffMillis(tries: number): number | undefined;
  tell(type: OnceEventType, arrival: Arrival, more?: Partial<OnceEvent>): void;
  /** The answer is given now, whatever still runs. */
  expire(): void;
  /** Ends the timers. */
  close(): void;
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
  gate: Gate = processGate,
): Invocation<Body> {
  const { ambient } = settings.store;
  const deadline = deadlineOf(context, ambient);
  const controller = new AbortController();
  let fatal: Error | undefined;
  const { promise: outOfTime, resolve } = Promise.withResolvers<void>();
  const expire = () => {
    controller.abort();
    resolve();
  };
  const cancelAnswer = deadline.whenLeft(answerMillis, expire);
  return {
    settings,
    deadline,
    gate,
    queueOf,
    sqs: settings.sqs,
    firsts: new Map(),
    outOfTime,
    signal: controller.signal,
    whenToStop: (task) => deadline.whenLeft(abortMillis, task),
    fatal: () => fatal,
    doom(error) {
      fatal ??= error;
    },
    backoffMillis: (tries) =>
      settings.backoff === false ? undefined : backoffMillis(settings.backoff, tries, ambient.chance()),
    tell(type, arrival, more) {
      publish(settings.observers, () => ({
        type,
        scope: settings.scope,
        keyHash: arrival.keyHash,
        messageId: arrival.messageId,
        ...more,
      }));
    },
    expire,
    close: cancelAnswer,
  };
}

/** One call to the table, below the lease and within the invocation's time. */
export function callLimit(invocation: Invocation, mostMillis = 5_000): CallLimit {
  const left = invocation.deadline.remainingMillis() - answerMillis;
  return { timeoutMillis: Math.max(50, Math.min(mostMillis, left)) };
}

/** The lease of a claim taken now: to the end of the invocation, or a short one that a heartbeat renews. */
export function leaseMillisNow({ settings, deadline }: Invocation): number {
  if (settings.leaseMillis !== undefined) return settings.leaseMillis;
  return deadline.known ? Math.max(0, deadline.remainingMillis()) + 1_000 : defaultLeaseMillis;
}

/** Whether claims need a heartbeat: their lease does not reach to the end of the invocation. */
export function needsHeartbeat({ settings, deadline }: Invocation): boolean {
  return settings.leaseMillis !== undefined || !deadline.known;
}
