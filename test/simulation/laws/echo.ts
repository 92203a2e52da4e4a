import type { LawIn } from './law.ts';

/** L14: an attempt that says it lost its claim has lost it, and not to an echo of its own write. */
export const fencedOutIsTrue: LawIn = ({ plan }, accuse) => ({
  told(_process, event, work) {
    if (event.type !== 'fenced-out' || work?.row === undefined) return;
    // A heartbeat that could not be heard until the lease was over gives the claim up, whoever has it.
    if (plan.lease !== 'deadline' && work.row.status === 'leased') return;
    if (event.fence !== undefined && work.row.fence <= event.fence) {
      accuse(
        'L14',
        `an attempt under fence ${event.fence} is fenced out of a row with fence ${work.row.fence}`,
      );
    }
  },
});
