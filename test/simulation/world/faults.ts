import type { Plan } from '../plan.ts';
import { type Agenda, startMillis } from './agenda.ts';
import type { Dice } from './dice.ts';

/** Decides what goes wrong, until the safety phase is over. */
export class Faults {
  readonly #plan: Plan;
  readonly #dice: Dice;
  readonly #agenda: Agenda;
  #struck = 0;

  constructor(plan: Plan, dice: Dice, agenda: Agenda) {
    this.#plan = plan;
    this.#dice = dice;
    this.#agenda = agenda;
  }

  /** Whether this is an occasion on which it happens. The dice fall the same whether it may or not. */
  strikes(percent: number): boolean {
    const struck = this.#dice.percent(percent);
    if (!struck || this.areOver) return false;
    this.#struck += 1;
    return true;
  }

  /** From here on everything works. */
  get areOver(): boolean {
    return (
      this.#struck >= this.#plan.faults ||
      this.#agenda.nowMillis >= startMillis + this.#plan.safetySeconds * 1_000
    );
  }
}
