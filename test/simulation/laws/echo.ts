import type { LawIn } from './law.ts';

/** L14: an attempt that says it lost its claim has lost it, and not to an echo of its own write. */
export const fencedOutIsTrue: LawIn = ({ plan, facts }, accuse) => ({
  told(process, event) {
    if (event.type !== 'fenced-out') return;
    const names = facts.letters.get(event.messageId ?? '')?.names;
    // A message whose key is taken is claimed under its id, and still told of under its key.
    const claims = [names?.keyed, names?.unkeyed].flatMap((rowKey) => {
      const work = facts.works.get(rowKey ?? '');
      // After a row has gone fences begin anew, and a process may have had one of them twice.
      return (work?.claims ?? [])
        .filter(({ fence, process: holder }) => fence === event.fence && holder === process.name)
        .map((claim) => ({ work, claim }));
    });
    const areHeld = claims.every(({ work, claim }) => {
      if (work?.row?.owner !== claim.owner) return false;
      // A heartbeat that is not heard until the lease is over gives the claim up, whoever has it.
      return plan.lease === 'deadline' || work.row.status !== 'leased';
    });
    if (claims.length > 0 && areHeld)
      accuse('L14', `${event.messageId} is fenced out of what is still its own`);
  },
});
