import type { SqsBatchResponse, SqsRecord } from '../../../lib/arrive/record.ts';
import type { InvocationContext } from '../../../lib/handle/deadline.ts';
import type { Process } from './process.ts';
import type { Queue } from './queue.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

/** One process at work, or about to be. */
interface Slot {
  readonly place: number;
  busy: boolean;
  pollIsDue: boolean;
}

interface Invocation {
  readonly id: string;
  readonly slot: Slot;
  readonly process: Process;
  readonly records: readonly SqsRecord[];
  over: boolean;
}

/** Fetches batches, hands them to processes and deletes what was done, as Lambda's event source mapping does. */
export class Mapping {
  readonly #world: World;
  readonly #service: Service;
  readonly #queue: Queue;
  readonly #slots: readonly Slot[];
  readonly #processes = new Map<number, Process>();
  #active = 0;

  constructor(world: World, service: Service, queue: Queue, workers: number) {
    this.#world = world;
    this.#service = service;
    this.#queue = queue;
    this.#slots = Array.from({ length: workers }, (_, place) => ({ place, busy: false, pollIsDue: false }));
    queue.onChange(() => this.#wake());
  }

  get isIdle(): boolean {
    return this.#active === 0;
  }

  #wake(): void {
    const { agenda, dice } = this.#world;
    for (const slot of this.#slots) {
      if (slot.busy || slot.pollIsDue) continue;
      slot.pollIsDue = true;
      agenda.after(dice.spread(5, 500), () => {
        slot.pollIsDue = false;
        if (!slot.busy) this.#poll(slot);
      });
    }
  }

  #poll(slot: Slot): void {
    const { faults, plan } = this.#world;
    const records = this.#queue.receive(plan.batchSize);
    if (records.length === 0) return;
    if (faults.strikes(plan.rates.invokeLost)) {
      this.#world.tell(this.#queue.name, `${idsOf(records)} received, and lost on the way`);
      this.#wake();
    } else this.#invoke(slot, records);
  }

  #processOf({ place }: Slot): Process {
    const seat = this.#world.plan.sharedProcess ? place >> 1 : place;
    const process = this.#processes.get(seat);
    if (process?.isAlive === true && !process.isRetired) return process;
    const fresh = this.#service.spawn();
    this.#processes.set(seat, fresh);
    return fresh;
  }

  #invoke(slot: Slot, records: readonly SqsRecord[]): void {
    const { agenda, plan, dice } = this.#world;
    const process = this.#processOf(slot);
    if (plan.idleFreeze && process.isFrozen) process.thaw();
    const invocation: Invocation = {
      id: this.#world.nextId('invocation'),
      slot,
      process,
      records,
      over: false,
    };
    slot.busy = true;
    this.#active += 1;
    this.#world.tell(process.name, `is given ${idsOf(records)}`);
    process.onEnd(() => this.#close(invocation));

    const timeoutMillis = plan.timeoutSeconds * 1_000;
    const isEndless = plan.lease === 'no deadline';
    for (const record of records) {
      this.#world.clerk.given(process, record, isEndless ? undefined : agenda.nowMillis + timeoutMillis);
    }
    let context: InvocationContext | undefined;
    if (!isEndless) {
      const endsAt = process.ambient.wallMillis() + timeoutMillis;
      context = { getRemainingTimeInMillis: () => endsAt - process.ambient.wallMillis() };
      agenda.after(timeoutMillis, () => {
        if (!invocation.over) this.#timeOut(invocation, dice.percent(50));
      });
    }
    this.#service.consume(process, records, context).then(
      (response) => this.#answer(invocation, response),
      (error) => this.#fail(invocation, error),
    );
  }

  /** Lambda ends a process that is out of time. One that stands still may be missed, and lives on unseen. */
  #timeOut(invocation: Invocation, missed: boolean): void {
    const { process } = invocation;
    this.#world.tell(process.name, 'is out of time');
    if (process.isFrozen && missed) {
      process.retire();
      this.#close(invocation);
    } else process.crash('is killed');
  }

  #answer(invocation: Invocation, response: SqsBatchResponse): void {
    const { process, records } = invocation;
    if (!process.isAlive) return;
    const failed = this.#world.plan.partialResponses
      ? response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
      : [];
    this.#world.tell(process.name, `answers, returned: ${failed.join(' ') || 'none'}`);
    if (invocation.over) return;
    const done = records.filter(({ messageId }) => !failed.includes(messageId));
    for (const record of done) this.#world.clerk.acknowledged(process, record);
    this.#close(invocation);
    for (const { receiptHandle } of done) {
      this.#world.agenda.after(this.#world.dice.spread(5, 500), () => this.#queue.delete(receiptHandle));
    }
  }

  #fail(invocation: Invocation, error: unknown): void {
    if (!invocation.process.isAlive) return;
    this.#world.tell(invocation.process.name, `fails: ${error instanceof Error ? error.message : error}`);
    this.#world.clerk.failed(error);
    this.#close(invocation);
  }

  #close(invocation: Invocation): void {
    if (invocation.over) return;
    invocation.over = true;
    invocation.slot.busy = false;
    this.#active -= 1;
    const { process } = invocation;
    if (this.#world.plan.idleFreeze && !this.#world.plan.sharedProcess) process.freeze();
    this.#wake();
  }
}

function idsOf(records: readonly SqsRecord[]): string {
  return records
    .map(({ messageId, attributes }) => `${messageId}#${attributes.ApproximateReceiveCount}`)
    .join(' ');
}
