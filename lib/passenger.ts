import type { Captured } from './arrive/message.ts';
import type { SqsRecord } from './arrive/record.ts';
import { readThen } from './consume-event.ts';
import { claimThenRun, oneOfAnEvent, type Run } from './each-message.ts';
import { rememberAttempt } from './handle/attempts.ts';
import type { Gate } from './handle/gate.ts';
import { runAttempt } from './handle/run-attempt.ts';
import type { Invocation } from './invocation.ts';
import { type Ending, returned } from './settle/ending.ts';
import { giveBackUnstarted } from './settle/fail-attempt.ts';

/** Where a message of a whole event has got to. */
export type Stop =
  | 'not aboard'
  /** Its claim is won, nothing runs yet. */
  | 'claimed'
  /** The end of its last attempt is unknown. */
  | 'asks to run alone'
  /** Its lease is fresh and user code is next. */
  | 'at the handler'
  /** It is another copy of a message of this event and ends as that one does. */
  | 'follows'
  | Ending['status'];

/** What the handler is said to have done with one message. */
export type MessageResult =
  | { readonly status: 'fulfilled'; readonly value: unknown }
  | { readonly status: 'rejected'; readonly reason: unknown };

/**
 * One message of a whole event on its usual path. It stops where the event has to go together, and goes on at
 * the event's word:
 *
 *   board ─▶ [asks to run alone] ─▶ claimed ─▶ at the handler ─▶ acknowledged, returned
 */
export class Passenger {
  readonly captured: Captured;
  /** The copy the handler is given. */
  readonly record: SqsRecord;
  stop: Stop = 'not aboard';
  /** Known once it is aboard. */
  rowKey: string | undefined;
  ending: Promise<Ending> | undefined;
  private readonly given: SqsRecord;
  private resume: ((word: boolean) => void) | undefined;
  private end: ((result: MessageResult) => void) | undefined;
  private nextStop = Promise.withResolvers<Stop>();
  private forgetAttempt: (() => void) | undefined;
  private backAfterMillis: number | undefined;

  constructor(captured: Captured, given: SqsRecord) {
    this.captured = captured;
    this.given = given;
    this.record = { ...given };
  }

  /** Sends it on its way; the answer is its first stop. */
  board(invocation: Invocation): Promise<Stop> {
    const within: Invocation = { ...invocation, gate: this.gate() };
    this.ending = readThen(this.captured, within, (arrival) => {
      this.rowKey = arrival.rowKey;
      if (invocation.firsts.has(arrival.rowKey)) this.reach('follows');
      return oneOfAnEvent(arrival, within, () => claimThenRun(arrival, within, this.run));
    }).then((ending) => this.apart(ending));
    this.ending.then(
      ({ status }) => this.reach(status),
      // What the event does with it shows when it settles; here it only must not wait for ever.
      () => this.reach('returned'),
    );
    return this.nextStop.promise;
  }

  /** Says yes or no to what it waits for; the answer is its next stop. */
  goOn(yes: boolean): Promise<Stop> {
    this.nextStop = Promise.withResolvers();
    this.resume?.(yes);
    return this.nextStop.promise;
  }

  /** When it comes back, should it be given back from where it waits. */
  comeBackAfter(millis: number): void {
    this.backAfterMillis = millis;
  }

  /** Ends its stay at the handler. */
  finish(result: MessageResult): Promise<Ending> | undefined {
    this.end?.(result);
    return this.ending;
  }

  /** The event is over. */
  forget(): void {
    this.forgetAttempt?.();
  }

  private apart(ending: Ending): Ending {
    return ending.status === 'returned' && this.backAfterMillis !== undefined
      ? returned(this.backAfterMillis)
      : ending;
  }

  private readonly run: Run = async (arrival, invocation, claiming, claim) => {
    if (!(await this.wait('claimed'))) return giveBackUnstarted(arrival, invocation, claim);
    return runAttempt(arrival, invocation, claiming, claim, (_message, attempt) => {
      this.forgetAttempt = rememberAttempt({ record: this.record, given: this.given, attempt });
      return this.result();
    });
  };

  /** The event as a whole has a place at the gate; only running alone has to be asked for. */
  private gate(): Gate {
    return {
      enter: async (mode) =>
        mode === 'beside' || (await this.wait('asks to run alone')) ? () => {} : undefined,
      inside: (userCode) => userCode(),
    };
  }

  private wait(stop: Stop): Promise<boolean> {
    return new Promise((resolve) => {
      this.resume = resolve;
      this.reach(stop);
    });
  }

  private result(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.end = (result) => (result.status === 'fulfilled' ? resolve(result.value) : reject(result.reason));
      this.reach('at the handler');
    });
  }

  private reach(stop: Stop): void {
    this.stop = stop;
    this.nextStop.resolve(stop);
  }
}
