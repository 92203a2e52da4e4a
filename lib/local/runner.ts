import { setTimeout as sleep } from 'node:timers/promises';
import type { StepMessage } from './events.ts';
import { runBatch } from './invocation.ts';
import { Poller } from './poller.ts';
import { readQueue } from './queue.ts';
import { type RunnerOptions, settleOptions } from './runner-options.ts';
import { WorkerSlot } from './worker-slot.ts';

/** A Lambda function behind a queue, on this machine. Workers are named by number, from 0. */
export interface Runner {
  /** Sends a signal to a worker's process and everything it started; a fresh process takes its place. */
  kill(worker: number, signal?: NodeJS.Signals): void;
  /** Stops a worker where it is, its timeout too: a process that is frozen and thaws after its lease. */
  pause(worker: number): void;
  resume(worker: number): void;
  /** Says something to the code in a worker's process, which hears it with `process.on('message')`. */
  tell(worker: number, message: StepMessage): void;
  /** Resolves when the queue is empty and nobody works. */
  drained(signal?: AbortSignal): Promise<void>;
  /** Fetches no more, lets running invocations end, and ends the workers. */
  stop(): Promise<void>;
}

const drainCheckMillis = 50;

/**
 * Runs a Lambda handler behind an SQS queue by the rules of an event source mapping: a poller here, and
 * worker processes that load the real handler module. It deletes what the handler does not list as failed,
 * and leaves everything else to the queue's visibility timeout, which it never changes.
 * @throws Error when the handler cannot be found or loaded; RangeError for an option AWS would refuse.
 * @example
 * const runner = await startRunner({ aws, queueUrl, handler: 'handlers/orders.handler', workers: 4 });
 * await runner.drained();
 * await runner.stop();
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { queueUrl } = options;
  const sqs = options.aws.sqs();
  const queue = await readQueue(sqs, queueUrl);
  const settings = settleOptions(options, queue);
  const { program, report } = settings;
  const mapping = { ...settings, sqs, queueUrl, queueArn: queue.arn };
  const slots = await openSlots(settings.workers, (number) => new WorkerSlot(number, program, report));
  const poller = new Poller(mapping);
  let working = 0;

  async function keepBusy(slot: WorkerSlot): Promise<void> {
    for (let batch = await poller.take(); batch !== undefined; batch = await poller.take()) {
      working += 1;
      await runBatch(mapping, slot, batch).finally(() => {
        working -= 1;
      });
    }
  }

  const busy = Promise.all(slots.map(keepBusy));
  return {
    kill: (worker, signal = 'SIGKILL') => slotOf(slots, worker).kill(signal),
    pause: (worker) => slotOf(slots, worker).pause(),
    resume: (worker) => slotOf(slots, worker).resume(),
    tell: (worker, message) => slotOf(slots, worker).tell(message),
    async drained(signal) {
      for (;;) {
        const { messages } = await readQueue(sqs, queueUrl);
        if (messages === 0 && working === 0 && !poller.pending) return;
        await sleep(drainCheckMillis, undefined, signal ? { signal } : {});
      }
    },
    async stop() {
      poller.stop();
      for (const slot of slots) slot.retire();
      await busy;
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}

/** All workers with the handler loaded, or none left. */
async function openSlots(count: number, open: (number: number) => WorkerSlot): Promise<WorkerSlot[]> {
  const slots = Array.from({ length: count }, (_, number) => open(number));
  try {
    await Promise.all(slots.map((slot) => slot.loaded()));
    return slots;
  } catch (error) {
    await Promise.all(slots.map((slot) => slot.stop()));
    throw error;
  }
}

function slotOf(slots: readonly WorkerSlot[], worker: number): WorkerSlot {
  const slot = slots[worker];
  if (slot === undefined) throw new RangeError(`worker is ${worker}; give 0 to ${slots.length - 1}`);
  return slot;
}
