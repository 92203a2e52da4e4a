import { isNamed } from '../../../lib/errors.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import type { Work } from '../facts.ts';
import type { LawIn } from './law.ts';

/** L9: poison is parked, and nothing else. L2: a parking is recorded before it is sent. */
export const onlyPoisonIsParked: LawIn = ({ facts }, accuse) => ({
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
    const why = objectionTo(work, after);
    if (why !== undefined) accuse('L9', `it is parked as ${after.reason}, and ${why}`);
  },
  parkingSent(_process, parkId) {
    if (parkId === undefined || !facts.parkings.has(parkId)) {
      accuse('L2', 'a message is sent to the dead-letter queue whose parking is not recorded');
    }
  },
});

function objectionTo(work: Work, row: ClaimRow): string | undefined {
  const tried = work.claims.filter(({ counted }) => counted).length + work.runs.length;
  switch (row.reason) {
    case 'unparseable':
    case 'key-reused':
      return work.runs.length > 0 ? 'a handler could read it' : undefined;
    case 'poison':
      return work.runs.some(({ error }) => isNamed(error, 'PoisonMessageError'))
        ? undefined
        : 'no handler said so';
    case 'attempts-exhausted':
      return tried > 0 ? undefined : 'it was never tried';
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
