import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type * as fingerprints from '../../../lib/arrive/fingerprint.ts';
import type * as rows from '../../../lib/claim/claim-row.ts';
import type * as rule from '../../../lib/claim/decide.ts';
import type * as marks from '../../../lib/claim/marks.ts';
import type * as lanes from '../../../lib/handle/lanes.ts';
import type * as leases from '../../../lib/lease.ts';
import type { ConsumerOptions } from '../../../lib/options.ts';
import type * as followUps from '../../../lib/settle/recorded-follow-ups.ts';
import type * as settling from '../../../lib/settle/settle-attempt.ts';
import * as product from '../engine.ts';
import type { Engine } from '../world/world.ts';
import { replacing, type Twin } from './twin.ts';

/** The rule with one of its answers changed. */
function deciding(change: (decision: rule.Decision) => rule.Decision): Promise<Engine> {
  return replacing<typeof rule>('claim/decide.ts', ({ decide }) => ({
    decide: (row, wish) => change(decide(row, wish)),
  }));
}

/** Guards that stand in the rule. */
export const ruleTwins: readonly Twin[] = [
  {
    without: 'the answer that in flight is not done',
    engine: () =>
      deciding((decision) =>
        decision.status === 'in-flight' ? { ...decision, status: 'duplicate' } : decision,
      ),
    focus: { rates: { deliveredTwice: 40 }, habits: { slow: 40 } },
  },
  {
    without: 'the answer that done is done',
    engine: () =>
      deciding((decision) =>
        decision.status === 'duplicate'
          ? { status: 'free', taking: 'continued', over: decision.row }
          : decision,
      ),
    focus: { rates: { deliveredTwice: 40 } },
  },
  {
    without: 'the answer that a parked message stays parked',
    engine: () =>
      deciding((decision) =>
        decision.status === 'parked' ? { status: 'free', taking: 'reopened', over: decision.row } : decision,
      ),
    focus: { rates: { deliveredTwice: 40, deleteLost: 30 }, natures: { poison: 25 } },
  },
  {
    without: 'the limit of attempts',
    engine: () =>
      deciding((decision) =>
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
];

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
