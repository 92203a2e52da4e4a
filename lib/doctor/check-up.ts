import { checkMapping } from './check-mapping.ts';
import { checkQueues } from './check-queues.ts';
import { checkSurroundings } from './check-surroundings.ts';
import { checkTable } from './check-table.ts';
import type { Facts } from './facts.ts';
import type { Finding, Level } from './finding.ts';

const places: Readonly<Record<Level, number>> = { error: 0, warning: 1, unseen: 2 };

/** Everything that is wrong with one consumer, the worst first. Looks at facts only. */
export function checkUp(facts: Facts): readonly Finding[] {
  const findings = [
    ...checkMapping(facts),
    ...checkQueues(facts),
    ...checkTable(facts),
    ...checkSurroundings(facts),
  ];
  return findings.toSorted((one, other) => places[one.level] - places[other.level]);
}
