import { SendMessageBatchCommand, type SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type { RunnerEvent, StepMessage } from '../../lib/local/events.ts';
import type { LocalAws } from '../../lib/local/local-aws.ts';
import type { QueuePair } from '../../lib/local/queues.ts';
import { type Runner, startRunner } from '../../lib/local/runner.ts';
import type { RunnerOptions } from '../../lib/local/runner-options.ts';

export const obedient = 'test/local/handlers/obedient.handler';

type EventOf<T extends RunnerEvent['type']> = Extract<RunnerEvent, { type: T }>;

/** A runner over a queue of its own, and everything it told. */
export interface Rig extends QueuePair {
  readonly runner: Runner;
  readonly events: readonly RunnerEvent[];
  all<T extends RunnerEvent['type']>(type: T): EventOf<T>[];
  /** The first event of that type that fits, now or later. */
  next<T extends RunnerEvent['type']>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
  /** What the handler told of each message it saw. */
  steps(): StepMessage[];
  seen(): unknown[];
  send(...bodies: string[]): Promise<void>;
}

export type RigOptions = Partial<RunnerOptions> & {
  readonly fifo?: boolean;
  readonly visibilityTimeoutSeconds?: number;
  readonly maxReceiveCount?: number;
};

let queues = 0;

export async function startRig(aws: LocalAws, options: RigOptions = {}): Promise<Rig> {
  const { fifo = false, visibilityTimeoutSeconds = 30, maxReceiveCount = 5, ...rest } = options;
  queues += 1;
  const pair = await aws.createQueuePair({
    name: `rig-${queues}`,
    fifo,
    visibilityTimeoutSeconds,
    maxReceiveCount,
  });
  const events: RunnerEvent[] = [];
  const listeners = new Set<() => void>();
  const runner = await startRunner({
    aws,
    queueUrl: pair.queueUrl,
    handler: obedient,
    workers: 1,
    onEvent(event) {
      events.push(event);
      for (const listener of listeners) listener();
    },
    ...rest,
  });
  const all = <T extends RunnerEvent['type']>(type: T) =>
    events.filter((event): event is EventOf<T> => event.type === type);
  const steps = () => all('step').map((event) => event.step);
  return {
    ...pair,
    runner,
    events,
    all,
    steps,
    seen: () =>
      steps()
        .map((step) => step.seen)
        .filter(Boolean),
    next: (type, fits = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const event = all(type).find(fits);
          if (event === undefined) return;
          listeners.delete(look);
          resolve(event);
        };
        listeners.add(look);
        look();
      }),
    async send(...bodies) {
      const Entries = bodies.map((body, index) => entry(body, index, fifo));
      await aws.sqs().send(new SendMessageBatchCommand({ QueueUrl: pair.queueUrl, Entries }));
    },
  };
}

// `order:group…` names its group in a FIFO queue.
function entry(body: string, index: number, fifo: boolean): SendMessageBatchRequestEntry {
  const group = body.split(':')[1]?.[0] ?? 'only';
  return { Id: String(index), MessageBody: body, ...(fifo ? { MessageGroupId: group } : {}) };
}
