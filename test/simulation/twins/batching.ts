import type { SendBatch } from '../../../lib/store/batching/batcher.ts';
import type { BatchStatement } from '../../../lib/store/batching/statements.ts';
import * as product from '../engine.ts';
import type { Engine } from '../world/world.ts';
import { withStrangeRefusals, zombies } from './statements.ts';
import type { Twin } from './twin.ts';

/** The engine over calls that change on their way. */
function overBatches(changed: (send: SendBatch) => SendBatch): Engine {
  return {
    ...product,
    batchedClaims: (table, send, ...given) => product.batchedClaims(table, changed(send), ...given),
  };
}

/** An engine that takes one kind of error of a statement for done. */
const deafTo = (code: string) =>
  overBatches((send) => async (statements, signal) => {
    const answers = await send(statements, signal);
    return answers.map((answer) => (answer?.Code === code ? undefined : answer));
  });

/** An engine whose batched settles compare less. */
const withoutTest = (names: readonly string[]) =>
  overBatches(
    (send) => (statements, signal) =>
      send(
        statements.map((one) => relaxed(one, names)),
        signal,
      ),
  );

function relaxed({ Statement, Parameters }: BatchStatement, names: readonly string[]): BatchStatement {
  const [change = '', where] = Statement.split(' WHERE ');
  if (where === undefined) return { Statement, Parameters };
  const tests = where.split(' AND ');
  const first = Parameters.length - tests.length;
  const isKept = (test: string) => !names.some((name) => test.startsWith(`"${name}"`));
  return {
    Statement: `${change} WHERE ${tests.filter(isKept).join(' AND ')}`,
    Parameters: Parameters.filter((_, place) => place < first || isKept(tests[place - first] ?? '')),
  };
}

const together = {
  batching: true,
  form: 'each message',
  claim: 'first',
  messages: 5,
  batchSize: 4,
} as const;

/** Several sleepers in one process, whose outcomes are ready at the moment they wake. */
const dormitory = {
  ...zombies,
  ...together,
  fifo: false,
  keys: 'message-id',
  lease: 'short',
  timeoutSeconds: 30,
  visibilityFactor: 1,
  transactions: false,
  transitions: false,
  followUps: 0,
  messages: 8,
  batchSize: 8,
  rates: { ...zombies.rates, slow: 40 },
} as const;

/**
 * Guards of claims and outcomes that travel together. One has no twin: that no call takes an item twice. DynamoDB
 * refuses such a call as a whole, and each of its statements then goes alone; the guard spares that call.
 */
export const batchingTwins: readonly Twin[] = [
  {
    without: 'the news that somebody has the row',
    engine: () => deafTo('DuplicateItem'),
    focus: { ...together, fifo: false, rates: { deliveredTwice: 40 } },
  },
  {
    without: 'the news that an outcome was refused',
    engine: () => deafTo('ConditionalCheckFailed'),
    focus: dormitory,
  },
  {
    without: 'the news that one of a call was throttled',
    engine: () => deafTo('ThrottlingError'),
    focus: { ...together, rates: { throttled: 15 }, faults: 60 },
  },
  {
    without: 'the echo of a batched claim',
    engine: () => ({
      ...product,
      batchedClaims: (table, ...given) => product.batchedClaims(withStrangeRefusals(table), ...given),
    }),
    focus: { ...together, lease: 'deadline', rates: { retriedByClient: 20, lostReply: 25 }, faults: 60 },
  },
  {
    without: 'the holder in a batched settle',
    engine: () => withoutTest(['fence', 'owner']),
    focus: dormitory,
  },
  {
    without: 'the status in a batched settle',
    engine: () => withoutTest(['status']),
    focus: {
      ...together,
      fifo: false,
      keys: 'message-id',
      messages: 8,
      batchSize: 8,
      workers: 1,
      shortRetention: false,
      transactions: false,
      transitions: false,
      followUps: 2,
      rates: {
        lateCopy: 60,
        slow: 20,
        lostRequest: 0,
        lostReply: 0,
        throttled: 0,
        conflict: 0,
        freeze: 0,
        crash: 0,
      },
      habits: { throws: 0, retriesLater: 0, crashes: 0, slow: 0 },
      natures: { poison: 0, killer: 0, failing: 0, unparseable: 0 },
      faults: 300,
    },
  },
];
