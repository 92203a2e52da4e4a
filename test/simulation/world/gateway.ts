import type { Run } from '../facts.ts';
import { callOver } from './network.ts';
import type { Process } from './process.ts';
import { awsError } from './tables.ts';
import type { World } from './world.ts';

/** A provider that does a thing once for each key it is given. */
export class Gateway {
  readonly #world: World;
  /** Row keys by effect key. */
  readonly charges = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  async charge(process: Process, run: Run, effectKey: string): Promise<void> {
    this.#world.clerk.effectAsked(run, 'charge', effectKey);
    await callOver(this.#world, process, {
      name: 'charge',
      land: () => {
        this.charges.set(effectKey, run.work.rowKey);
      },
      patienceMillis: 5_000,
      refusals: { throttled: () => awsError('TooManyRequests') },
    });
  }
}
