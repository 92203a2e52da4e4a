import type { Attributes, PutStatement, UpdateStatement } from '../../../lib/store/table.ts';
import type { Purpose } from '../../support/faulty-table.ts';
import { without, zombies } from './statements.ts';
import { overTable, reused, type Twin } from './twin.ts';

/**
 * Fence and owner, one without the other. An owner is the random id of one claim, so wherever both are compared
 * the fence alone may be dropped and nothing ever happens: it is kept because a random id is not much of an
 * argument, and because people read fences. No world can tell that twin from the product; that both together are
 * needed, `statements.ts` proves for each write.
 *
 * The fence without the owner is another matter. Fences begin anew once a row is gone, and a sleeper's fence 1
 * fits the row of whoever used the key again:
 *
 *   A claims, fence 1 ── A sleeps ── its row goes ── B claims, fence 1 ── A wakes and writes
 *
 * And two who claim an absent row at the same moment both ask for fence 1: only the owner tells the echo of one's
 * own write from the other's.
 *
 * Redundant by design, too, are statuses that no later write of the same claim leaves: what is settled stays
 * settled under its fence and owner, so `markSent`, `markParked` and `extend` would be refused without them; and
 * in `acquire` the lease is gone with the status it belongs to. Holder and status together are needed.
 */
const owner = /#owner = /;
const holderAndStatus = /\bfence = |#owner = |#status IN/;

/** Processes that sleep for longer than rows are kept, and keys that are used again. */
const sleepers = {
  ...zombies,
  ...reused,
  visibilityFactor: 10,
  timeoutSeconds: 30,
  maxReceiveCount: 9,
} as const;

/** Many duplicates of little work, whose calls overtake each other. */
const crowd = {
  ...reused,
  messages: 12,
  workers: 3,
  natures: { poison: 0, killer: 0, failing: 0, unparseable: 0 },
  rates: { lateCopy: 40, slow: 40, deliveredTwice: 40, deleteLost: 30 },
  faults: 300,
} as const;

const ownerless = (purpose: Purpose, focus: Twin['focus'] = {}) =>
  without(`the owner in ${purpose}`, [purpose], owner, { ...sleepers, ...focus });

export const holderTwins: readonly Twin[] = [
  ownerless('settle'),
  ownerless('release', { habits: { ...zombies.habits, throws: 50 } }),
  ownerless('renew', { lease: 'no deadline', rates: { freeze: 15, deliveredTwice: 40, crash: 0 } }),
  ownerless('park', { habits: { slow: 60, throws: 50 }, maxAttempts: 1 }),
  {
    without: 'the owner in the echo',
    engine: () => echoing((item, tried) => (item.fence?.N === tried.fence?.N ? { ...item, ...tried } : item)),
    focus: { rates: { deliveredTwice: 40 } },
  },
  without('the status in park', ['park'], /#status IN/, {
    rates: { lateCopy: 60 },
    faults: 200,
    natures: { poison: 25 },
  }),
  without('holder and status in markParked', ['markParked'], holderAndStatus, {
    rates: { lateCopy: 60 },
    faults: 200,
    natures: { poison: 25 },
    earlyRedrives: true,
  }),
  without('holder and status in extend', ['extend'], holderAndStatus, {
    ...crowd,
  }),
  without('an expiry that only grows', ['extend'], /NOT expiresAt > /, {
    ...crowd,
  }),
  without('the seen claim in what a person lets go of', ['reopen', 'release'], /:seenFence|:seenOwner/, {
    earlyRedrives: true,
    boldPeople: true,
    habits: { throws: 50 },
    safetySeconds: 600,
    faults: 200,
  }),
  without(
    'the seen status in what a person lets go of',
    ['reopen', 'release'],
    /:seenStatus|:released, :completed/,
    {
      earlyRedrives: true,
      boldPeople: true,
      lease: 'short',
      workers: 1,
      batchSize: 4,
      sharedProcess: false,
      visibilityFactor: 6,
      timeoutSeconds: 30,
      rates: { freeze: 10, deliveredTwice: 0, crash: 0 },
      safetySeconds: 300,
      faults: 200,
    },
  ),
];

/** A table whose refusals tell a row that was changed on the way, beside what was tried on it. */
function echoing(change: (item: Attributes, tried: Attributes) => Attributes) {
  const meddle = (tried: Attributes) => (error: unknown) => {
    const { Item } = error as { Item?: Attributes };
    throw Item === undefined ? error : Object.assign(error as Error, { Item: change(Item, tried) });
  };
  const holderIn = ({ ExpressionAttributeValues: values = {} }: UpdateStatement): Attributes => ({
    ...(values[':heldFence'] && { fence: values[':heldFence'] }),
    ...(values[':heldOwner'] && { owner: values[':heldOwner'] }),
  });
  const claimIn = ({ Item: { fence, owner: holder } }: PutStatement): Attributes => ({
    ...(fence && { fence }),
    ...(holder && { owner: holder }),
  });
  return overTable((table) => ({
    ...table,
    put: (statement, signal) => table.put(statement, signal).catch(meddle(claimIn(statement))),
    update: (statement, signal) => table.update(statement, signal).catch(meddle(holderIn(statement))),
  }));
}
