import { vi } from 'vitest';
import type * as rule from '../../../lib/claim/decide.ts';
import type { Table } from '../../../lib/store/table.ts';
import * as product from '../engine.ts';
import type { Focus } from '../search.ts';
import type { Engine } from '../world/world.ts';

/** The engine with one guard missing. */
export interface Twin {
  /** The guard that is missing. */
  readonly without: string;
  readonly engine: () => Engine | Promise<Engine>;
  /** What its worlds have in common, so that they need not be many. */
  readonly focus?: Focus;
}

/** The engine over a table that changes what is sent to it. */
export function overTable(changed: (table: Table) => Table): Engine {
  return {
    ...product,
    claimStore: (table, name, ambient) => product.claimStore(changed(table), name, ambient),
    batchedClaims: (table, ...given) => product.batchedClaims(changed(table), ...given),
  };
}

/** Keys that are used again when their rows are old. */
export const reused = {
  sendsLate: true,
  keys: 'business',
  works: 1,
  messages: 5,
  shortRetention: true,
  followUps: 0,
  transitions: false,
  fifoPoison: 'continue',
  safetySeconds: 1_200,
} as const;

/** Messages that come back when their rows are gone. */
export const ageless = {
  ...reused,
  rates: { deleteLost: 30, deliveredTwice: 40 },
  faults: 200,
} as const;

type Decide = typeof rule.decide;

/** The engine with another rule. */
export function deciding(
  change: (decide: Decide, row: Parameters<Decide>[0], wish: rule.Wish) => rule.Decision,
): Promise<Engine> {
  return replacing<typeof rule>('claim/decide.ts', ({ decide }) => ({
    decide: (row, wish) => change(decide, row, wish),
  }));
}

type Module = Record<string, unknown>;

/** The engine with exports of one module replaced. */
export async function replacing<Original extends object>(
  module: string,
  replacement: (original: Original) => Partial<Original>,
): Promise<Engine> {
  const path = `../../../lib/${module}`;
  vi.resetModules();
  vi.doMock(path, async (importOriginal) => {
    const original = (await importOriginal()) as Original & Module;
    return { ...original, ...replacement(original) };
  });
  try {
    return await import('../engine.ts');
  } finally {
    vi.doUnmock(path);
    vi.resetModules();
  }
}
