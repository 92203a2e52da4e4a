import { ours, oursBatched, oursWithCommit } from './ours.ts';
import { peer } from './peer.ts';
import { raw, rawCapped } from './raw.ts';
import type { Side } from './side.ts';

export const allSides: readonly Side[] = [ours, oursBatched, oursWithCommit, peer, raw];

export const compared = { ours: ours.name, peer: peer.name } as const;
export const comparedBatched = { ours: oursBatched.name, peer: peer.name } as const;

export function sideNamed(name: string): Side {
  const side = [...allSides, rawCapped].find((candidate) => candidate.name === name);
  if (side === undefined) throw new RangeError(`no side is called ${JSON.stringify(name)}`);
  return side;
}

/** The sides by name, each opened once. */
export function opened<Opened>(
  sides: readonly Side[],
  open: (side: Side) => Opened,
): (name: string) => Opened {
  const byName = new Map(sides.map((side) => [side.name, open(side)]));
  return (name) => {
    const found = byName.get(name);
    if (found === undefined) throw new RangeError(`no side is called ${JSON.stringify(name)}`);
    return found;
  };
}

export function namesOf(sides: readonly Side[]): readonly string[] {
  return sides.map(({ name }) => name);
}
