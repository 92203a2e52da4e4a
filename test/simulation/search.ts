import fc from 'fast-check';
import * as product from './engine.ts';
import { type Plan, plans } from './plan.ts';
import { runWorld, timelineOf } from './run-world.ts';
import type { Engine, History } from './world/world.ts';

export interface Search {
  readonly worlds: number;
  readonly seed: number;
  /** From the seed straight to one world. */
  readonly path?: string | undefined;
  readonly engine?: Engine;
  /** What every world has in common. */
  readonly focus?: Focus;
  /** Looks for the smallest world that breaks a law as the first one found does. @default true */
  readonly shrink?: boolean;
}

/** A part of a plan that is not drawn. */
export type Focus = Partial<Omit<Plan, 'rates' | 'habits' | 'natures'>> & {
  readonly rates?: Partial<Plan['rates']>;
  readonly habits?: Partial<Plan['habits']>;
  readonly natures?: Partial<Plan['natures']>;
};

/** A world in which a law is broken. */
export interface Found {
  readonly seed: number;
  /** Fast-check's way from the seed to this world. */
  readonly path: string;
  /** How many worlds there were until the first in which a law was broken. */
  readonly worlds: number;
  readonly plan: Plan;
  readonly history: History;
}

/** Draws worlds until a law is broken, or there were enough of them. */
export async function search({
  worlds,
  seed,
  path,
  engine = product,
  focus = {},
  shrink = true,
}: Search): Promise<Found | undefined> {
  let law: string | undefined;
  const outcome = await fc.check(
    fc.asyncProperty(
      plans.map((plan) => focused(plan, focus)),
      async (plan) => {
        const { violation } = await runWorld(plan, engine);
        law ??= violation?.law;
        return violation === undefined || violation.law !== law;
      },
    ),
    { seed, numRuns: worlds, endOnFailure: !shrink, ...(path === undefined ? {} : { path }) },
  );
  const [plan] = outcome.counterexample ?? [];
  if (plan === undefined) return undefined;
  return {
    seed: outcome.seed,
    path: outcome.counterexamplePath ?? '',
    worlds: outcome.numRuns,
    plan,
    history: await runWorld(plan, engine, true),
  };
}

function focused(plan: Plan, { rates, habits, natures, ...rest }: Focus): Plan {
  return {
    ...plan,
    ...rest,
    rates: { ...plan.rates, ...rates },
    habits: { ...plan.habits, ...habits },
    natures: { ...plan.natures, ...natures },
  };
}

/** What a person needs to see of it, and to see it again. */
export function reportOf({ seed, path, plan, history }: Found): string {
  const { violation } = history;
  return [
    `${violation?.law} is broken: ${violation?.how}`,
    `npm run simulate -- --seed ${seed} --path ${path}`,
    JSON.stringify(plan),
    timelineOf(history),
  ].join('\n\n');
}
