import type * as messages from '../../../lib/arrive/message.ts';
import type * as rule from '../../../lib/claim/decide.ts';
import type * as leases from '../../../lib/lease.ts';
import type { PutStatement } from '../../../lib/store/table.ts';
import { ageless, deciding, overTable, replacing, reused, type Twin } from './twin.ts';

/** Handlers that work for longer than rows are kept, under a lease that a heartbeat keeps alive. */
const lasting = {
  ...reused,
  lease: 'no deadline',
  timeoutSeconds: 120,
  habits: { slow: 80, ignoresSignal: 80 },
  rates: { freeze: 8, deliveredTwice: 40 },
  faults: 200,
} as const;

/** Guards around rows whose time is up. */
export const expiryTwins: readonly Twin[] = [
  {
    without: 'an end to what a row stands for',
    engine: () => replacing<typeof leases>('lease.ts', () => ({ rowIsExpired: () => false })),
    focus: reused,
  },
  {
    without: 'the same rule for expired rows in the condition',
    engine: () =>
      overTable((table) => ({ ...table, put: (put, signal) => table.put(neverExpired(put), signal) })),
    focus: reused,
  },
  {
    // The condition alone would still refuse, and the message would never be answered.
    without: 'the lease of an expired row in the code',
    engine: () => deciding(heedlessOfLeases),
    focus: lasting,
  },
  {
    without: 'the fear of an absent row',
    engine: () => deciding((decide, row, wish) => decide(row, { ...wish, outlivedItsRow: false })),
    focus: ageless,
  },
  {
    without: 'the fear of an absent row in a FIFO queue',
    engine: () => deciding((decide, row, wish) => decide(row, { ...wish, outlivedItsRow: false })),
    focus: { ...ageless, fifo: true, maxReceiveCount: 9, rates: { ...ageless.rates, lostReply: 25 } },
  },
  {
    without: 'the difference between a backlog and what was received before',
    engine: () =>
      replacing<typeof messages>('arrive/message.ts', ({ capture }) => ({
        capture: (...asked) => ({ ...capture(...asked), receivedBefore: true }),
      })),
    focus: {
      ...reused,
      workers: 1,
      batchSize: 1,
      maxReceiveCount: 9,
      rates: { freeze: 10, crash: 0 },
      faults: 200,
    },
  },
  {
    without: 'the doubt about a claim that only parked',
    engine: () =>
      deciding((decide, row, wish) => {
        const decision = decide(row, wish);
        return row?.status === 'leased' && decision.status === 'beyond-retention'
          ? { status: 'free', taking: 'continued', over: row }
          : decision;
      }),
    focus: { ...ageless, rates: { ...ageless.rates, crash: 4 } },
  },
];

const heedlessOfLeases = (
  decide: typeof rule.decide,
  row: Parameters<typeof rule.decide>[0],
  wish: rule.Wish,
) => {
  const decision = decide(row, wish);
  const isExpired = row !== undefined && row.expiresAt * 1_000 <= wish.nowMillis;
  return decision.status === 'in-flight' && isExpired
    ? ({ status: 'free', taking: 'expired', over: row } as const)
    : decision;
};

/** A table that lets nobody over an expired row. */
function neverExpired(put: PutStatement): PutStatement {
  return /expiresAt <= /.test(put.ConditionExpression)
    ? {
        ...put,
        ConditionExpression: 'attribute_not_exists(claim)',
        ExpressionAttributeNames: undefined as never,
        ExpressionAttributeValues: undefined as never,
      }
    : put;
}
