import type { Arrival } from './arrive/message.ts';
import type { SqsBatchResponse, SqsRecord } from './arrive/record.ts';
import { answerEvent, arriveAll, type Consumer, type Endings, isNameable } from './consume-event.ts';
import { eachMessage } from './each-message.ts';
import { ConfigurationError } from './errors.ts';
import { rememberAttempt } from './handle/attempts.ts';
import type { InvocationContext } from './handle/deadline.ts';
import type { Gate } from './handle/gate.ts';
import { notStarted } from './handle/handled.ts';
import { lanesOf, runLanes } from './handle/lanes.ts';
import { type Invocation, openInvocation } from './invocation.ts';
import { unstarted } from './settle/fail-attempt.ts';

/**
 * An event for a handler that takes it whole. Every message goes its usual path up to its handler and waits
 * there; the user's handler then runs once for all that wait, and what it answers is what each message's
 * handler is said to have returned or thrown.
 *
 *   message 1 ── claim ──▶ waits ┐                             ┌▶ settle
 *   message 2 ── duplicate ▶ out ├─▶ the handler, Records: 1 3 ┤
 *   message 3 ── claim ──▶ waits ┘                             └▶ settle
 */
export interface WholeEvent {
  /** The records that may run, in order of arrival. */
  readonly runnable: readonly SqsRecord[];
  /** Settles every waiting message by what its handler is said to have done, in order, and answers. */
  finish(results: readonly MessageResult[]): Promise<SqsBatchResponse>;
  /** The handler threw, or something around it did: nothing is completed, every attempt failed. */
  fail(reasonOf: (record: SqsRecord) => unknown): Promise<void>;
  /** The answer is given while the handler still runs: its claims stay. */
  abandon(): void;
}

/** What the handler is said to have done with one message. */
export type MessageResult =
  | { readonly status: 'fulfilled'; readonly value: unknown }
  | { readonly status: 'rejected'; readonly reason: unknown };

/** One message on its way to the handler. */
interface Passenger {
  readonly arrival: Arrival;
  readonly record: SqsRecord;
  /** Where it has got to; asked anew after a message that asked to run alone may. */
  progress: Promise<Progress>;
  /** Ends its wait at the handler. */
  end?: (result: MessageResult) => void;
  /** Lets it run alone, or not. */
  decide?: (granted: boolean) => void;
  ended: Promise<void>;
}

type Progress = 'waits' | 'asks to run alone' | 'acknowledged' | 'returned';

export async function beginWholeEvent<Body>(
  consumer: Consumer<Body>,
  records: readonly SqsRecord[],
  context: InvocationContext | undefined,
): Promise<WholeEvent> {
  refuseWithCommit(consumer);
  const invocation = openInvocation(
    consumer.settings,
    consumer.queueOf,
    context,
    consumer.gate,
  ) as Invocation;
  const endings: Endings = new Map();
  const nameable = records.filter(isNameable);
  const arrivals = await arriveAll(nameable, invocation);
  const passengers = arrivals.map((arrival, place) =>
    passengerOf(arrival, nameable[place] ?? arrival.record),
  );

  let leave = await consumer.gate.enter('beside', invocation.outOfTime);
  // A middleware behind us may answer for the handler, and then nobody tells us that the event is over.
  void invocation.outOfTime.then(() => leave?.());
  await runLanes(
    lanesOf(passengers, ({ arrival }) => arrival.fifoGroup),
    consumer.settings.concurrency,
    async (passenger) => {
      board(passenger, invocation, endings);
      const progress = await passenger.progress;
      return progress === 'waits' || progress === 'acknowledged' ? 'settled' : 'unsettled';
    },
    ({ arrival }) => endings.set(arrival, unstarted(arrival, invocation)),
  );

  const [chosen, ...others] = passengers.filter(({ decide }) => decide !== undefined);
  if (chosen !== undefined) {
    // The one whose last attempt's end is unknown gets the handler to itself; the rest is given back.
    for (const other of others) other.decide?.(false);
    const rest = waitingOf(passengers);
    for (const passenger of rest) passenger.end?.({ status: 'rejected', reason: notStarted });
    await Promise.all([...others, ...rest].map(({ ended }) => ended));
    leave?.();
    leave = await consumer.gate.enter('alone', invocation.outOfTime);
    chosen.decide?.(leave !== undefined);
    await chosen.progress;
  }

  async function settleAll(resultOf: (passenger: Passenger, place: number) => MessageResult): Promise<void> {
    for (const [place, passenger] of waitingOf(passengers).entries()) {
      passenger.end?.(resultOf(passenger, place));
      // In a FIFO queue outcomes land in send order.
      if (passenger.arrival.fifoGroup !== undefined) await passenger.ended;
    }
    await Promise.all(passengers.map(({ ended }) => ended));
    leave?.();
  }

  return {
    runnable: waitingOf(passengers).map(({ record }) => record),
    async finish(results) {
      await settleAll((_passenger, place) => results[place] ?? missingResult);
      try {
        return await answerEvent(invocation, records, endings);
      } finally {
        invocation.close();
      }
    },
    async fail(reasonOf) {
      await settleAll(({ record }) => ({ status: 'rejected', reason: reasonOf(record) }));
      await answerEvent(invocation, records, endings).catch(() => {
        // The invocation fails anyway, with the error of the handler.
      });
      invocation.close();
    },
    abandon() {
      invocation.expire();
      leave?.();
    },
  };
}

function refuseWithCommit<Body>(consumer: Consumer<Body>): void {
  if (consumer.settings.claim === 'with-commit') {
    throw new ConfigurationError(
      "claim is 'with-commit' and the handler takes the event whole; use eachMessage, whose attempt collects what is committed",
    );
  }
}

const missingResult: MessageResult = {
  status: 'rejected',
  reason: new Error('the handler answered with fewer results than it was given records'),
};

function passengerOf(arrival: Arrival, record: SqsRecord): Passenger {
  return { arrival, record, progress: Promise.resolve('returned'), ended: Promise.resolve() };
}

function waitingOf(passengers: readonly Passenger[]): readonly Passenger[] {
  return passengers.filter(({ end }) => end !== undefined);
}

/** Sends a message on its usual path, with a handler that waits for the whole event's. */
function board(passenger: Passenger, invocation: Invocation, endings: Endings): void {
  const { arrival, record } = passenger;
  let progress = Promise.withResolvers<Progress>();
  passenger.progress = progress.promise;
  // A second copy of one piece of work waits for the first, and the first for the handler.
  if (invocation.firsts.has(arrival.rowKey)) progress.resolve('waits');

  const gate: Gate = {
    enter(mode) {
      if (mode === 'beside') return Promise.resolve(() => {});
      return new Promise((resolve) => {
        passenger.decide = (granted) => {
          delete passenger.decide;
          progress = Promise.withResolvers<Progress>();
          passenger.progress = progress.promise;
          resolve(granted ? () => {} : undefined);
        };
        progress.resolve('asks to run alone');
      });
    },
  };
  passenger.ended = eachMessage(arrival, { ...invocation, gate }, (_message, attempt) => {
    const forget = rememberAttempt(record, attempt);
    return new Promise((resolve, reject) => {
      passenger.end = (result) => {
        delete passenger.end;
        forget();
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      };
      progress.resolve('waits');
    });
  }).then((ending) => {
    endings.set(arrival, ending);
    progress.resolve(ending.status);
  });
}
