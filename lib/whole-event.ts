import type { SqsBatchResponse, SqsRecord } from './arrive/record.ts';
import {
  answerEvent,
  type Consumer,
  captureAll,
  type Endings,
  isNameable,
  messageIdsOf,
} from './consume-event.ts';
import { ConfigurationError } from './errors.ts';
import type { InvocationContext } from './handle/deadline.ts';
import { lanesOf, runLanes } from './handle/lanes.ts';
import { type Invocation, openInvocation } from './invocation.ts';
import { lastCallMillis } from './lease.ts';
import { type MessageResult, Passenger } from './passenger.ts';
import { unstarted } from './settle/fail-attempt.ts';
import { missingResult, settleInOrder } from './whole-event-order.ts';
import { keepApart, whoMakesRoom, whoRunsAlone } from './whole-event-room.ts';

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
  /** The records that may run, in order of arrival: copies, so that nothing done to them is seen elsewhere. */
  readonly runnable: readonly SqsRecord[];
  /** The ids of their messages, which no handler can change. */
  readonly messageIds: readonly string[];
  /**
   * Settles every message by what its handler is said to have done, in order, and answers. In the last moments
   * before the deadline nothing is believed: Middy hands on what `timeoutEarlyResponse` said, as if the handler
   * had answered, while it still runs. Its messages were left behind by then, and their claims stay.
   */
  finish(results: readonly MessageResult[]): Promise<SqsBatchResponse>;
  /** The handler threw, or something around it did: nothing is completed, every attempt failed. */
  fail(reason: unknown): Promise<void>;
  /** The answer is given while the handler still runs: its claims stay. */
  abandon(): void;
}

export async function beginWholeEvent<Body>(
  consumer: Consumer<Body>,
  records: readonly SqsRecord[],
  context: InvocationContext | undefined,
): Promise<WholeEvent> {
  refuseWithCommit(consumer);
  const journey = new Journey(consumer as Consumer<unknown>, records, context);
  try {
    await journey.begin();
    return journey;
  } catch (error) {
    journey.close();
    throw error;
  }
}

class Journey implements WholeEvent {
  private readonly consumer: Consumer<unknown>;
  private readonly records: readonly SqsRecord[];
  private readonly eventIds: readonly unknown[];
  private readonly invocation: Invocation;
  private readonly endings: Endings = new Map();
  private passengers: readonly Passenger[] = [];
  private riders: readonly Passenger[] = [];
  private leaveGate: (() => void) | undefined;

  constructor(
    consumer: Consumer<unknown>,
    records: readonly SqsRecord[],
    context: InvocationContext | undefined,
  ) {
    this.consumer = consumer;
    this.records = records;
    this.eventIds = messageIdsOf(records);
    this.invocation = openInvocation(
      consumer.settings,
      consumer.queueOf,
      context,
      consumer.gate,
    ) as Invocation;
  }

  get runnable(): readonly SqsRecord[] {
    return this.riders.map(({ record }) => record);
  }

  get messageIds(): readonly string[] {
    return this.riders.map(({ captured }) => captured.messageId);
  }

  async begin(): Promise<void> {
    const given = this.records.filter(isNameable);
    this.passengers = captureAll(given, this.invocation).map(
      (captured, place) => new Passenger(captured, given[place] ?? captured.record),
    );
    await this.enterGate('beside');
    await this.board();
    await this.makeRoom();
    await this.start();
  }

  async finish(results: readonly MessageResult[]): Promise<SqsBatchResponse> {
    try {
      const isTold = this.invocation.deadline.remainingMillis() >= lastCallMillis;
      await this.settle((place) => (isTold ? (results[place] ?? missingResult) : undefined));
      return await answerEvent(this.invocation, this.eventIds, this.endings);
    } finally {
      this.close();
    }
  }

  async fail(reason: unknown): Promise<void> {
    try {
      await this.settle(() => ({ status: 'rejected', reason }));
      await answerEvent(this.invocation, this.eventIds, this.endings).catch(() => {
        // The invocation fails anyway, with the error of the handler.
      });
    } finally {
      this.close();
    }
  }

  abandon(): void {
    this.invocation.expire();
    this.close();
    void this.tellOfTheAnswer();
  }

  close(): void {
    this.leaveGate?.();
    for (const passenger of this.passengers) passenger.forget();
    this.invocation.close();
  }

  /** An answer given in its place ends the event as well, once it is told what became of each message. */
  private async tellOfTheAnswer(): Promise<void> {
    await Promise.allSettled(this.passengers.map(({ ending }) => ending));
    const [anyone] = this.passengers;
    if (anyone !== undefined) this.invocation.tell('answering', anyone.captured);
  }

  /** Claims what may run. A FIFO group stops at the first message that can be neither run nor acknowledged. */
  private async board(): Promise<void> {
    await runLanes(
      lanesOf(this.passengers, ({ captured }) => captured.fifoGroup),
      this.consumer.settings.concurrency,
      async (passenger) => {
        const stop = await passenger.board(this.invocation);
        return stop === 'returned' || stop === 'asks to run alone' ? 'unsettled' : 'settled';
      },
      ({ captured }) => this.endings.set(captured, unstarted(captured, this.invocation)),
    );
  }

  /** One whose last attempt's end is unknown gets the handler to itself; everything else is given back. */
  private async makeRoom(): Promise<void> {
    const alone = this.mayStart() ? whoRunsAlone(this.passengers) : undefined;
    if (alone === undefined) return this.sendOn('asks to run alone', false);
    const others = whoMakesRoom(this.passengers, alone);
    keepApart(others);
    await this.eachOf(others, (passenger) => passenger.goOn(false));
    this.leaveGate?.();
    await this.enterGate('alone');
    await alone.goOn(this.leaveGate !== undefined);
  }

  private async start(): Promise<void> {
    await this.sendOn('claimed', this.mayStart());
    this.riders = this.passengers.filter(({ stop }) => stop === 'at the handler');
  }

  private mayStart(): boolean {
    return this.invocation.fatal() === undefined && this.invocation.deadline.hasRoom();
  }

  private async settle(resultOf: (place: number) => MessageResult | undefined): Promise<void> {
    await settleInOrder(this.passengers, this.riders, this.consumer.settings.concurrency, resultOf);
    for (const { captured, ending } of this.passengers) {
      if (ending !== undefined) this.endings.set(captured, await ending);
    }
  }

  private sendOn(stop: Passenger['stop'], yes: boolean): Promise<void> {
    return this.eachOf(
      this.passengers.filter((passenger) => passenger.stop === stop),
      (passenger) => passenger.goOn(yes),
    );
  }

  private eachOf(passengers: readonly Passenger[], work: (passenger: Passenger) => Promise<unknown>) {
    return runLanes(
      passengers.map((passenger) => [passenger]),
      this.consumer.settings.concurrency,
      async (passenger) => {
        await work(passenger);
        return 'settled';
      },
      () => {},
    );
  }

  private async enterGate(mode: 'beside' | 'alone'): Promise<void> {
    const leave = await this.consumer.gate.enter(mode, this.invocation.outOfTime);
    this.leaveGate = leave;
    // A process that goes on after the deadline must not be kept by an event whose end nobody told us.
    if (leave !== undefined) void this.invocation.outOfTime.then(leave);
  }
}

function refuseWithCommit<Body>(consumer: Consumer<Body>): void {
  if (consumer.settings.claim === 'with-commit') {
    throw new ConfigurationError(
      "claim is 'with-commit' and the handler takes the event whole; use eachMessage, whose attempt collects what is committed",
    );
  }
}
