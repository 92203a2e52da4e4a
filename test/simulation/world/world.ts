import { Clerk } from '../clerk.ts';
import { Court, type Violation } from '../court.ts';
import type * as engine from '../engine.ts';
import type { Nature } from '../facts.ts';
import { Facts } from '../known.ts';
import type { Plan } from '../plan.ts';
import { Agenda, startMillis } from './agenda.ts';
import { Dice } from './dice.ts';
import { Faults } from './faults.ts';
import { Gateway } from './gateway.ts';
import { Person } from './person.ts';
import { Queue } from './queue.ts';
import { scriptOf } from './script.ts';
import { sendOrders } from './sender.ts';
import { type Body, Service } from './service.ts';
import { Tables } from './tables.ts';

/** What of the product runs in a world. */
export type Engine = typeof engine;

/** What happened in a world, line by line. */
export interface Line {
  readonly atMillis: number;
  readonly who: string;
  readonly what: string;
}

export interface History {
  readonly violation: Violation | undefined;
  readonly lines: readonly Line[];
  readonly steps: number;
}

/** A world that needs more steps or time than this does not come to an end. */
const mostSteps = 60_000;
const longestMillis = 4 * 24 * 3_600_000;
const mostRedrives = 8;

/** Everything there is: time, tables, queues, processes and the people who look after them. */
export class World {
  readonly plan: Plan;
  readonly engine: Engine;
  readonly agenda = new Agenda();
  readonly dice: Dice;
  readonly faults: Faults;
  readonly facts = new Facts();
  readonly queues: Queue[] = [];
  readonly services: Service[] = [];
  readonly gateway: Gateway;
  readonly tables: Tables;
  readonly court: Court;
  readonly clerk: Clerk;
  /** How works are, by the name in their messages. */
  readonly natures = new Map<string, Nature>();
  readonly #people: Person[] = [];
  readonly #lines: Line[] | undefined;
  readonly #ids = new Map<string, number>();
  #redrives = 0;

  constructor(plan: Plan, product: Engine, keepsTimeline: boolean) {
    this.plan = plan;
    this.engine = product;
    this.dice = new Dice(plan.seed);
    this.faults = new Faults(plan, this.dice, this.agenda);
    this.gateway = new Gateway(this);
    this.tables = new Tables(this);
    this.#lines = keepsTimeline ? [] : undefined;
    this.court = new Court(this);
    this.clerk = new Clerk(this);
  }

  tell(who: string, what: string): void {
    this.#lines?.push({ atMillis: this.agenda.nowMillis, who, what });
  }

  nextId(kind: string): string {
    const next = (this.#ids.get(kind) ?? 0) + 1;
    this.#ids.set(kind, next);
    return `${kind}-${next}`;
  }

  async run(): Promise<History> {
    this.#build();
    sendOrders(this);
    const safetyMillis = this.plan.safetySeconds * 1_000;
    this.agenda.after(safetyMillis, () => this.#heal());
    await this.agenda.run(() => this.#isOver(safetyMillis));
    if (this.court.violation === undefined) this.court.hear('ended');
    return { violation: this.court.violation, lines: this.#lines ?? [], steps: this.agenda.steps };
  }

  #build(): void {
    const { plan } = this;
    const receipts = plan.followUps > 0 ? this.#queuePair('receipts') : undefined;
    const orders = this.#queuePair('orders');
    this.#serve('orders', orders, plan.workers, plan.keys === 'business' ? ({ work }) => work : undefined, {
      followUpQueue: receipts?.queue,
    });
    if (receipts !== undefined) this.#serve('receipts', receipts, 1, undefined, { followUpQueue: undefined });
  }

  #queuePair(name: string): { queue: Queue; deadLetters: Queue } {
    const { plan } = this;
    const ending = plan.fifo ? '.fifo' : '';
    const visibilityMillis = plan.timeoutSeconds * plan.visibilityFactor * 1_000;
    const deadLetters = new Queue(this, { name: `${name}-dlq${ending}`, visibilityMillis });
    const queue = new Queue(this, {
      name: `${name}${ending}`,
      visibilityMillis,
      deadLetters: { queue: deadLetters, maxReceiveCount: plan.maxReceiveCount },
    });
    this.queues.push(queue, deadLetters);
    return { queue, deadLetters };
  }

  #serve(
    scope: string,
    { queue, deadLetters }: { queue: Queue; deadLetters: Queue },
    workers: number,
    key: ((body: Body) => string) | undefined,
    { followUpQueue }: { followUpQueue: Queue | undefined },
  ): void {
    const { plan } = this;
    const service = new Service(this, {
      scope,
      queue,
      workers,
      ...(key !== undefined ? { key } : {}),
      scriptIn: (process) =>
        scriptOf(this, process, {
          gateway: scope === 'orders' ? this.gateway : undefined,
          transactions: plan.transactions,
          transitions: plan.transitions && scope === 'orders',
          followUps: followUpQueue === undefined ? 0 : plan.followUps,
          followUpQueue,
        }),
    });
    this.services.push(service);
    const person = new Person(this, service, deadLetters);
    if (plan.earlyRedrives) person.comeBy(3);
    this.#people.push(person);
  }

  #heal(): void {
    this.tell('world', 'everything works from here on');
    for (const { processes } of this.services) for (const process of processes) process.thaw();
  }

  /** Over when a law is broken, or when nothing is left to do and nobody has anything left to bring back. */
  #isOver(safetyMillis: number): boolean {
    if (this.court.violation !== undefined) return true;
    const { nowMillis, steps } = this.agenda;
    if (steps > mostSteps || nowMillis > startMillis + longestMillis) {
      this.court.accuse(
        'liveness',
        `it does not come to an end: ${steps} steps, ${(nowMillis - startMillis) / 1_000} s`,
      );
      return true;
    }
    if (nowMillis < startMillis + safetyMillis || !this.#isIdle()) return false;
    if (
      this.#redrives >= mostRedrives ||
      (this.#redrives > 0 && ![...this.facts.works.values()].some((work) => this.facts.isOpen(work)))
    )
      return false;
    this.#redrives += 1;
    for (const person of this.#people) person.redriveAll(this.#redrives === 1);
    return false;
  }

  #isIdle(): boolean {
    return this.services.every(({ queue, mapping }) => queue.letters.length === 0 && mapping.isIdle);
  }
}
