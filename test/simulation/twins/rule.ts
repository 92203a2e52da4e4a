import type * as fingerprints from '../../../lib/arrive/fingerprint.ts';
import type * as rows from '../../../lib/claim/claim-row.ts';
import type * as rule from '../../../lib/claim/decide.ts';
import type * as marks from '../../../lib/claim/marks.ts';
import type * as effects from '../../../lib/handle/effect-key.ts';
import type * as leases from '../../../lib/lease.ts';
import type { ClaimRow } from '../../../lib/words.ts';
import type { Engine } from '../world/world.ts';
import { deciding, replacing, type Twin } from './twin.ts';

/** The rule with one of its answers changed. */
const answering = (change: (decision: rule.Decision) => rule.Decision) =>
  deciding((decide, row, wish) => change(decide(row, wish)));

/** Guards that stand in the rule. */
export const ruleTwins: readonly Twin[] = [
  {
    without: 'the answer that in flight is not done',
    engine: () =>
      answering((decision) =>
        decision.status === 'in-flight' ? { ...decision, status: 'duplicate' } : decision,
      ),
    focus: { rates: { deliveredTwice: 40 }, habits: { slow: 40 } },
  },
  {
    without: 'the answer that done is done',
    engine: () =>
      answering((decision) =>
        decision.status === 'duplicate'
          ? { status: 'free', taking: 'continued', over: decision.row }
          : decision,
      ),
    focus: { rates: { deliveredTwice: 40 } },
  },
  {
    without: 'the answer that a parked message stays parked',
    engine: () =>
      answering((decision) =>
        decision.status === 'parked' ? { status: 'free', taking: 'reopened', over: decision.row } : decision,
      ),
    focus: { rates: { deliveredTwice: 40, deleteLost: 30 }, natures: { poison: 25 } },
  },
  {
    without: 'the limit of attempts',
    engine: () =>
      answering((decision) =>
        decision.status === 'exhausted'
          ? { status: 'free', taking: 'continued', over: decision.row }
          : decision,
      ),
    focus: { claim: 'first', natures: { killer: 25 }, fifoPoison: 'continue' },
  },
  {
    without: 'the proof that a key carries the same payload',
    engine: () =>
      replacing<typeof fingerprints>('arrive/fingerprint.ts', () => ({ sameFingerprint: () => 'same' })),
    focus: { keys: 'business', works: 1, messages: 4, otherPayloads: 30 },
  },
  {
    without: 'the count of an attempt before it starts',
    engine: () =>
      replacing<typeof rows>('claim/claim-row.ts', ({ claimRow }) => ({
        claimRow: (rowKey, free, wish, terms) => claimRow(rowKey, free, { ...wish, purpose: 'park' }, terms),
      })),
    focus: { claim: 'first' },
  },
  {
    without: 'the memory that a mark counted',
    engine: () => replacing<typeof marks>('claim/marks.ts', () => ({ isHonoured: () => false })),
    focus: { earlyRedrives: true, natures: { failing: 25 }, rates: { lostReply: 25 }, faults: 60 },
  },
  {
    without: 'the skew between two clocks',
    engine: () =>
      replacing<typeof leases>('lease.ts', () => ({
        leaseIsOver: (leaseEndsAt, nowMillis) => leaseEndsAt !== undefined && leaseEndsAt <= nowMillis,
        latestFreeLeaseEnd: (nowMillis) => nowMillis,
        millisUntilFree: (leaseEndsAt, nowMillis) => Math.max(0, leaseEndsAt - nowMillis),
      })),
    focus: { habits: { crashes: 30 }, rates: { crash: 4 }, faults: 60 },
  },
  {
    without: 'the fear of what left without a word',
    engine: () =>
      answering((decision) =>
        decision.status === 'abandoned'
          ? { status: 'free', taking: 'continued', over: decision.row }
          : decision,
      ),
    focus: { fifo: false, messages: 5, batchSize: 4, natures: { killer: 25 } },
  },
  {
    without: 'the time that passes before a lease is given up',
    engine: () => replacing<typeof leases>('lease.ts', () => ({ millisUntilFree: () => 0 })),
    focus: {
      lease: 'deadline',
      claim: 'first',
      rates: { deliveredTwice: 40 },
      habits: { slow: 60 },
      faults: 60,
    },
  },
  {
    without: 'a fence that goes on',
    engine: () => rowsWith((row) => ({ ...row, fence: 1 })),
    focus: { habits: { throws: 50 } },
  },
  {
    without: 'the time of the first claim',
    engine: () => rowsWith((row) => ({ ...row, firstClaimedAt: row.claimedAt })),
    focus: { habits: { throws: 50 } },
  },
  {
    without: 'effect keys that stay',
    engine: () =>
      replacing<typeof effects>('handle/effect-key.ts', ({ effectKey }) => {
        let calls = 0;
        return {
          effectKey: (rowKey, name, generation) => {
            calls += 1;
            return effectKey(rowKey, `${name} ${calls}`, generation);
          },
        };
      }),
    focus: { habits: { throws: 50 } },
  },
];

function rowsWith(change: (row: ClaimRow) => ClaimRow): Promise<Engine> {
  return replacing<typeof rows>('claim/claim-row.ts', ({ claimRow }) => ({
    claimRow: (...asked) => change(claimRow(...asked)),
  }));
}
