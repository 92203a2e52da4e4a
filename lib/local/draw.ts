import { createHash } from 'node:crypto';

/** From 0 to 1, the same for the same facts, in whatever order they are asked about. */
export function fraction(...facts: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(facts)).digest().readUInt32BE(0) / 2 ** 32;
}

export function drawBelow(seed: number, what: string, id: string, limit: number): number {
  return Math.floor(fraction(seed, what, id) * limit);
}

export function drawSome(
  seed: number,
  what: string,
  ids: readonly string[],
  count: number,
): ReadonlySet<string> {
  const drawn = ids.map((id) => ({ id, place: fraction(seed, what, id) }));
  drawn.sort((one, other) => one.place - other.place);
  return new Set(drawn.slice(0, count).map(({ id }) => id));
}
