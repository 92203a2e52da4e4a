import { type Spread, spreadOf } from './statistics.ts';

/** One line of the report: a figure for each side, taken in turns, and how each compares with the peer. */
export interface Row {
  readonly measure: string;
  readonly unit: string;
  readonly figures: Readonly<Record<string, Spread>>;
  /** Ours over the peer's, round by round; absent where there is no peer. */
  readonly ratio?: Spread;
  readonly aim?: Aim;
  /** What stands in the way of the aim, and the figures that show it; told when it is not met. */
  readonly obstacle?: Obstacle;
}

export interface Obstacle {
  readonly reason: string;
  readonly profile: readonly string[];
}

export interface Aim {
  readonly text: string;
  readonly met: boolean;
}

/** A measure of the benchmark, run by itself or with the others. */
export interface Measure {
  readonly name: string;
  run(): Promise<readonly Row[]>;
}

export type Samples = Readonly<Record<string, readonly number[]>>;

/**
 * Takes samples of every side in turns, each round beginning with another one: what disturbs the machine
 * meanwhile disturbs all of them, and figures of one round may be compared.
 */
export async function inTurns(
  sides: readonly string[],
  rounds: number,
  sample: (side: string, round: number) => Promise<number>,
): Promise<Samples> {
  const samples: Record<string, number[]> = Object.fromEntries(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      const side = sides[(round + turn) % sides.length] ?? '';
      samples[side]?.push(await sample(side, round));
    }
  }
  return samples;
}

/** The row of samples that were taken in turns. */
export function rowOf(
  measure: string,
  unit: string,
  samples: Samples,
  compared: { readonly ours: string; readonly peer: string } | undefined,
  aim?: (row: Row) => Aim,
): Row {
  const figures = Object.fromEntries(Object.entries(samples).map(([side, taken]) => [side, spreadOf(taken)]));
  const row: Row = { measure, unit, figures, ...ratioOf(samples, compared) };
  return aim === undefined ? row : { ...row, aim: aim(row) };
}

/** The row of counts, which are the same in every round. */
export function rowOfCounts(
  measure: string,
  unit: string,
  counts: Readonly<Record<string, number>>,
  compared: { readonly ours: string; readonly peer: string },
): Row {
  const samples = Object.fromEntries(Object.entries(counts).map(([side, count]) => [side, [count]]));
  return rowOf(measure, unit, samples, compared);
}

/** The row of two sides of what was taken of more. */
export function rowOfTwo(
  measure: string,
  unit: string,
  samples: Samples,
  compared: { readonly ours: string; readonly peer: string },
  aim?: (row: Row) => Aim,
): Row {
  const { [compared.ours]: ours = [], [compared.peer]: peers = [] } = samples;
  return rowOf(measure, unit, { [compared.ours]: ours, [compared.peer]: peers }, compared, aim);
}

function ratioOf(
  samples: Samples,
  compared: { readonly ours: string; readonly peer: string } | undefined,
): { ratio?: Spread } {
  if (compared === undefined) return {};
  const ours = samples[compared.ours] ?? [];
  const peers = samples[compared.peer] ?? [];
  return { ratio: spreadOf(ours.map((figure, round) => figure / (peers[round] ?? Number.NaN))) };
}

/** An aim on the median ratio. */
export function ratioAtMost(most: number): (row: Row) => Aim {
  return ({ ratio }) => ({
    text: `≤ ${most}× the peer`,
    met: ratio !== undefined && ratio.median <= most,
  });
}

/** An aim on one side's median. */
export function medianAtMost(side: string, most: number, unit: string): (row: Row) => Aim {
  return ({ figures }) => ({
    text: `≤ ${most} ${unit}`,
    met: (figures[side]?.median ?? Number.POSITIVE_INFINITY) <= most,
  });
}
