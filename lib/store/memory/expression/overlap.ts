import { type Path, pathText } from './path.ts';
import type { TokenReader } from './token-reader.ts';

/**
 * No two actions may touch the same place: neither `a.b` and `a`, nor `a.b` and `a[0]`, of which one cannot
 * be there.
 */
export function refuseOverlaps(reader: TokenReader, paths: readonly Path[]): void {
  for (const [index, first] of paths.entries()) {
    for (const second of paths.slice(index + 1)) {
      const relation = relationOf(first, second);
      if (relation === 'apart') continue;
      throw reader.error(
        `Two document paths ${relation} with each other; must remove or rewrite one of these paths; path one: ${pathText(first)}, path two: ${pathText(second)}`,
      );
    }
  }
}

function relationOf(first: Path, second: Path): 'apart' | 'overlap' | 'conflict' {
  for (const [depth, step] of first.entries()) {
    const other = second[depth];
    if (other === undefined) return 'overlap';
    if (step !== other) return typeof step === typeof other ? 'apart' : 'conflict';
  }
  return 'overlap';
}
