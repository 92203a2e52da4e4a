import * as product from './engine.ts';
import type { Plan } from './plan.ts';
import { type Engine, type History, World } from './world/world.ts';

/** Lets a world run from its plan to its end. */
export function runWorld(plan: Plan, engine: Engine = product, keepsTimeline = false): Promise<History> {
  return new World(plan, engine, keepsTimeline).run();
}

/** A history as people read it. */
export function timelineOf({ lines }: History): string {
  const [first] = lines;
  return lines
    .map(({ atMillis, who, what }) => {
      const seconds = ((atMillis - (first?.atMillis ?? 0)) / 1_000).toFixed(3);
      return `${seconds.padStart(12)}  ${who.padEnd(12)} ${what}`;
    })
    .join('\n');
}
