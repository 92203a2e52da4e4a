import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type * as asking from '../../../lib/claim/claim-arrival.ts';
import type * as claiming from '../../../lib/claim/claim-message.ts';
import { claimRow } from '../../../lib/claim/claim-row.ts';
import { isNamed } from '../../../lib/errors.ts';
import type * as heartbeats from '../../../lib/handle/heartbeat.ts';
import type * as lanes from '../../../lib/handle/lanes.ts';
import type { ConsumerOptions } from '../../../lib/options.ts';
import type * as notParked from '../../../lib/settle/not-parked.ts';
import type * as persisting from '../../../lib/settle/persist.ts';
import type * as followUps from '../../../lib/settle/recorded-follow-ups.ts';
import type * as releasing from '../../../lib/settle/release-claim.ts';
import type * as settling from '../../../lib/settle/settle-attempt.ts';
import * as product from '../engine.ts';
import { replacing, type Twin } from './twin.ts';

/** Processes that stand still, and messages that come again meanwhile. */
const standstills = {
  claim: 'first',
  workers: 3,
  rates: { freeze: 10, deliveredTwice: 40, crash: 0 },
  faults: 200,
} as const;

/** Guards that stand on the way of a message. */
export const pathTwins: readonly Twin[] = [
  {
    without: 'the settle before the acknowledgement',
    engine: () =>
      replacing<typeof settling>('settle/settle-attempt.ts', ({ settleAttempt }) => ({
        settleAttempt: async (...asked) => {
          void settleAttempt(...asked);
          return { status: 'acknowledged', outcome: () => ({ status: 'completed' }) };
        },
      })),
    focus: { claim: 'first' },
  },
  {
    without: 'follow-ups sent before the acknowledgement',
    engine: () =>
      replacing<typeof followUps>('settle/recorded-follow-ups.ts', ({ sendRecordedFollowUps }) => ({
        sendRecordedFollowUps: async (...asked) => {
          void sendRecordedFollowUps(...asked);
          return true;
        },
      })),
    focus: { followUps: 2 },
  },
  {
    without: 'the dead-letter queue’s word before the acknowledgement',
    engine: () => ({
      ...product,
      consumerSettings: <Body>(options: ConsumerOptions<Body>, environment?: NodeJS.ProcessEnv) =>
        product.consumerSettings({ ...options, sqs: hasty(options.sqs) }, environment),
    }),
    focus: { natures: { poison: 25 } },
  },
  {
    without: 'the stop of a group at what is not settled',
    engine: () =>
      replacing<typeof lanes>('handle/lanes.ts', ({ runLanes }) => ({
        runLanes: (given, concurrency, work, skip) =>
          runLanes(
            given,
            concurrency,
            async (item) => {
              await work(item);
              return 'settled';
            },
            skip,
          ),
      })),
    focus: { fifo: true, messages: 5, groups: 1, batchSize: 4, habits: { throws: 50 }, faults: 60 },
  },
  {
    without: 'groups',
    engine: () =>
      replacing<typeof lanes>('handle/lanes.ts', () => ({ lanesOf: (items) => items.map((item) => [item]) })),
    focus: { fifo: true, messages: 5, groups: 1, batchSize: 4 },
  },
  {
    without: 'the gate',
    engine: () => ({
      ...product,
      createGate: () => ({ enter: async () => () => {}, inside: (userCode) => userCode() }),
    }),
    focus: { fifo: false, messages: 5, batchSize: 4, natures: { killer: 25 }, habits: { crashes: 30 } },
  },
  {
    without: 'a claim before user code',
    engine: () =>
      replacing<typeof claiming>('claim/claim-message.ts', ({ claimMessage }) => ({
        claimMessage: async (store, rowKey, wish, terms, limit) => {
          try {
            return await claimMessage(store, rowKey, wish, terms, limit);
          } catch (error) {
            if (!isNamed(error, 'StoreUnavailableError')) throw error;
            const row = claimRow(rowKey, { status: 'free', taking: 'absent', over: undefined }, wish, terms);
            const { fence, owner } = row;
            const claim = { rowKey, fence, owner, row, previous: undefined, takenOver: false, isLast: false };
            return { status: 'claimed', claim };
          }
        },
      })),
    focus: { claim: 'first', rates: { throttled: 15 }, faults: 60 },
  },
  {
    without: 'a look at the clock before user code',
    engine: () =>
      replacing<typeof asking>('claim/claim-arrival.ts', ({ claimArrival }) => ({
        claimArrival: async (...asked) => {
          const asking = await claimArrival(...asked);
          if (asking.verdict.status !== 'claimed') return asking;
          const { claim } = asking.verdict;
          const row = { ...claim.row, leaseEndsAt: (claim.row.leaseEndsAt ?? 0) + 10_000_000 };
          const verdict = { status: 'claimed', claim: { ...claim, row } } as const;
          return { ...asking, verdict, askedAtMonotonicMillis: Number.POSITIVE_INFINITY };
        },
      })),
    focus: { ...standstills, lease: 'short' },
  },
  {
    without: 'the end of an attempt whose lease is over',
    engine: () =>
      replacing<typeof heartbeats>('handle/heartbeat.ts', ({ startHeartbeat }) => ({
        startHeartbeat: (store, claim, lease) => startHeartbeat(store, claim, lease, () => {}),
      })),
    focus: { ...standstills, lease: 'short', freezeStopsTimers: false, habits: { slow: 80 } },
  },
  {
    without: 'patience with a table that does not answer',
    engine: () =>
      replacing<typeof persisting>('settle/persist.ts', () => ({
        persist: (_invocation, write) =>
          write({ timeoutMillis: 5_000 }).catch((error: Error) => ({ status: 'unavailable', error })),
      })),
    focus: { transactions: false, transitions: false, followUps: 0, rates: { throttled: 15 }, faults: 60 },
  },
  {
    without: 'silence after losing the claim',
    engine: () =>
      replacing<typeof notParked>('settle/not-parked.ts', ({ fencedOut }) => ({
        fencedOut: (...asked) => {
          fencedOut(...asked);
          return { status: 'returned', visibleInMillis: 0 };
        },
      })),
    focus: { ...standstills, habits: { slow: 60, ignoresSignal: 60 } },
  },
  {
    without: 'attempts that are given back',
    engine: () =>
      replacing<typeof releasing>('settle/release-claim.ts', ({ releaseClaim }) => ({
        releaseClaim: (arrival, invocation, claim, giving) =>
          releaseClaim(arrival, invocation, claim, { ...giving, counts: true }),
      })),
    focus: {
      claim: 'first',
      maxAttempts: 2,
      maxReceiveCount: 9,
      fifo: false,
      habits: { retriesLater: 60 },
      faults: 60,
    },
  },
];

/** SQS that says yes before it was asked. */
function hasty(sqs: ConsumerOptions['sqs']): NonNullable<ConsumerOptions['sqs']> {
  const send = (command: object, ...more: unknown[]) => {
    const { send: reallySend } = sqs as { send(...asked: unknown[]): Promise<unknown> };
    const answer = reallySend(command, ...more);
    if (!(command instanceof SendMessageCommand)) return answer;
    answer.catch(() => {});
    return Promise.resolve({ MessageId: 'soon' });
  };
  return { send } as NonNullable<ConsumerOptions['sqs']>;
}
