import type { Ambient } from '../../../lib/ambient.ts';
import type { World } from './world.ts';

type Task = () => void | Promise<void>;

/**
 * One incarnation of a worker process: clocks of its own, timers, and whatever the network brings it. It may
 * end at once (what it would still do does not happen) or stand still (timers and answers wait).
 */
export class Process {
  readonly name: string;
  readonly ambient: Ambient;
  readonly #world: World;
  readonly #skewMillis: number;
  readonly #ends: Task[] = [];
  #held: Task[] = [];
  #alive = true;
  #frozenSinceMillis: number | undefined;
  #stoodStillMillis = 0;
  #ids = 0;
  #retired = false;
  #thawedAtMillis = Number.NEGATIVE_INFINITY;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    const { skewMillis } = world.plan;
    this.#skewMillis = world.dice.whole(-skewMillis, skewMillis);
    this.ambient = {
      wallMillis: () => Math.floor(world.agenda.nowMillis + this.#skewMillis),
      monotonicMillis: () => this.#monotonicMillis(),
      after: (millis, task) => this.after(millis, task),
      chance: () => world.dice.fraction(),
      randomId: () => {
        this.#ids += 1;
        return `${name}/${this.#ids}`;
      },
    };
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Whether nobody gives it work any more, though it may still live. */
  get isRetired(): boolean {
    return this.#retired;
  }

  retire(): void {
    this.#retired = true;
  }

  /** When it moved again after it last stood still. */
  get thawedAtMillis(): number {
    return this.#thawedAtMillis;
  }

  get isFrozen(): boolean {
    return this.#frozenSinceMillis !== undefined;
  }

  /** A timer of this process. */
  after(millis: number, task: Task): () => void {
    const dueMillis = this.#monotonicMillis() + Math.max(1, millis);
    let cancelled = false;
    const ring = () => {
      if (cancelled) return undefined;
      const left = dueMillis - this.#monotonicMillis();
      if (left > 0.001) return void this.#world.agenda.after(left, () => this.deliver(ring));
      return task();
    };
    this.#world.agenda.after(Math.max(1, millis), () => (cancelled ? undefined : this.deliver(ring)));
    return () => {
      cancelled = true;
    };
  }

  /** Something reaches the process: now, or when it moves again, or never. */
  deliver(task: Task): void | Promise<void> {
    if (!this.#alive) return;
    if (this.isFrozen) {
      this.#held.push(task);
      return;
    }
    const { faults, dice, plan } = this.#world;
    if (faults.strikes(plan.rates.crash)) return this.crash('crashed');
    if (faults.strikes(plan.rates.freeze)) {
      this.freeze();
      this.#world.agenda.after(dice.spread(200, 400_000), () => this.thaw());
      this.#held.push(task);
      return;
    }
    return task();
  }

  /** Tells when the process ends before its time. */
  onEnd(task: Task): void {
    this.#ends.push(task);
  }

  crash(how: string): void {
    if (!this.#alive) return;
    this.#world.tell(this.name, how);
    this.#alive = false;
    this.#held = [];
    for (const end of this.#ends) this.#world.agenda.after(0, end);
  }

  freeze(): void {
    if (!this.#alive || this.isFrozen) return;
    this.#world.tell(this.name, 'freezes');
    this.#frozenSinceMillis = this.#world.agenda.nowMillis;
  }

  /** It moves again: what waited comes in any order. */
  thaw(): void {
    if (this.#frozenSinceMillis === undefined) return;
    this.#world.tell(this.name, 'thaws');
    const stoodStill = this.#world.agenda.nowMillis - this.#frozenSinceMillis;
    if (this.#world.plan.freezeStopsTimers) this.#stoodStillMillis += stoodStill;
    this.#frozenSinceMillis = undefined;
    this.#thawedAtMillis = this.#world.agenda.nowMillis;
    const held = this.#world.dice.percent(50) ? this.#held : this.#world.dice.shuffled(this.#held);
    this.#held = [];
    for (const task of held) this.#world.agenda.after(0, () => this.deliver(task));
  }

  #monotonicMillis(): number {
    const { agenda, plan } = this.#world;
    const nowMillis =
      this.#frozenSinceMillis !== undefined && plan.freezeStopsTimers
        ? this.#frozenSinceMillis
        : agenda.nowMillis;
    return nowMillis - this.#stoodStillMillis - 1_700_000_000_000;
  }
}
