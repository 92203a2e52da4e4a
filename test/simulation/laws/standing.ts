import { leaseIsOver } from '../../../lib/lease.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import { isExpired } from '../facts.ts';
import type { LawIn } from './law.ts';

/** More than two clocks and a unit of whole seconds may differ by. */
const doubtMillis = 2_500;

interface Seen {
  readonly row: ClaimRow;
  readonly isTimeUp: boolean;
}

/**
 * L4 and L8: the rule is the same in the code and in the conditions. A row that stands still while it is asked for
 * is answered or taken; and one whose time is up holds nobody up any more.
 */
export const whatStandsStillIsAnswered: LawIn = ({ agenda }, accuse) => {
  const asked = new Map<string, Seen>();
  // It is parked under a row of its own, and told of under the key that it came with.
  const keyReused = new Set<string>();
  return {
    told(process, { type, messageId, error }, work) {
      const both = `${process.name} ${messageId} ${work?.rowKey}`;
      const row = work?.row;
      if (type === 'key-reused') keyReused.add(both);
      if (keyReused.has(both)) return;
      if (type === 'claiming') {
        asked.delete(both);
        if (row !== undefined) asked.set(both, { row, isTimeUp: isTimeUp(row, agenda.nowMillis) });
        return;
      }
      const seen = asked.get(both);
      if (seen === undefined || seen.row !== row) return;
      if (type === 'store-unavailable' && /kept changing/.test(error?.message ?? ''))
        accuse('L8', `${messageId} is refused again and again by a row that stands still`);
      if ((type === 'duplicate' || type === 'in-flight') && seen.isTimeUp)
        accuse('L4', `${messageId} is answered from a row whose time is up`);
    },
  };
};

function isTimeUp(row: ClaimRow, nowMillis: number): boolean {
  const isHeld = row.status === 'leased' && !leaseIsOver(row.leaseEndsAt, nowMillis - doubtMillis);
  return isExpired(row, nowMillis - doubtMillis) && !isHeld;
}
