import { isNamed } from '../../../lib/errors.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import type { Work } from '../facts.ts';
import { shortRetentionSeconds } from '../world/service.ts';
import type { World } from '../world/world.ts';
import type { LawIn } from './law.ts';

/** L9: poison is parked, and nothing else. L2: a parking is recorded before it is sent. */
export const onlyPoisonIsParked: LawIn = (world, accuse) => ({
  rowChanged({ work, before, after }) {
    if (before?.status !== 'leased' || after.owner !== before.owner) return;
    if (after.status !== 'parked' && after.status !== 'released') return;
    const runs = work.runs.filter(({ claim }) => claim?.owner === after.owner);
    if (runs.some(({ end, process }) => end === 'running' && process.isAlive)) {
      accuse('L9', `it is ${after.status} while it runs`);
    }
    if (runs.some(({ end, collected }) => end === 'returned' && !collected)) {
      accuse('L4', `it is ${after.status} although its handler succeeded`);
    }
    if (after.status !== 'parked') return;
    const why = objectionTo(world, work, after);
    if (why !== undefined) accuse('L9', `it is parked as ${after.reason}, and ${why}`);
  },
  parkingSent(_process, parkId) {
    if (parkId === undefined || !world.facts.parkings.has(parkId)) {
      accuse('L2', 'a message is sent to the dead-letter queue whose parking is not recorded');
    }
  },
});

function objectionTo({ plan, facts, queues }: World, work: Work, row: ClaimRow): string | undefined {
  const counted = work.claims.filter((claim) => claim.counted && claim.era === work.era).length;
  const tried = counted + work.runs.length;
  // What could not be parked keeps its reason, and whichever message of the key comes next is parked for it.
  if (work.isHeldBack) return undefined;
  switch (row.reason) {
    case 'unparseable':
    case 'key-reused':
      return work.runs.length > 0 ? 'a handler could read it' : undefined;
    case 'poison':
      return work.runs.some(({ error }) => isNamed(error, 'PoisonMessageError'))
        ? undefined
        : 'no handler said so';
    case 'attempts-exhausted':
      if (tried === 0) return 'it was never tried';
      if (plan.claim === 'with-commit' || counted - work.givenBack >= plan.maxAttempts) return undefined;
      return `it was tried ${counted - work.givenBack} times`;
    case 'beyond-retention': {
      const letter = facts.letters.get(row.messageId ?? '');
      const delivered = queues.flatMap(({ letters }) => letters).find(({ id }) => id === row.messageId);
      if (delivered?.receives === 1 && letter?.mark === undefined) return 'it only waited';
      const age = row.claimedAt - (letter?.oldestMillis ?? 0);
      return age > (shortRetentionSeconds - 3) * 1_000 ? undefined : `it is ${age} ms old`;
    }
    case 'let-go':
      return 'nobody let go of it';
    case 'last-delivery':
      return work.runs.some(({ end }) => end === 'threw' || end === 'returned')
        ? undefined
        : 'it never failed';
    case 'abandoned':
      return tried > 0 ? undefined : 'it was never tried';
    default:
      return 'that cannot be';
  }
}
