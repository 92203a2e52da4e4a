import type { Law } from './laws/law.ts';
import { laws } from './laws/laws.ts';
import type { World } from './world/world.ts';

/** A broken law. */
export interface Violation {
  readonly law: string;
  readonly how: string;
}

/** Hears the laws on everything that happens. */
export class Court {
  violation: Violation | undefined;
  readonly #world: World;
  readonly #laws: readonly Law[];

  constructor(world: World) {
    this.#world = world;
    this.#laws = laws.map((law) => law(world, (name, how) => this.accuse(name, how)));
  }

  /** The first broken law ends the world. */
  accuse(law: string, how: string): void {
    this.#world.tell('law', `${law} is broken: ${how}`);
    this.violation ??= { law, how };
  }

  hear<Name extends keyof Law>(name: Name, ...what: Parameters<NonNullable<Law[Name]>>): void {
    for (const law of this.#laws) (law[name] as ((...given: unknown[]) => void) | undefined)?.(...what);
  }
}
