import { type Ambient, processAmbient } from '../../lib/ambient.ts';
import type { InvocationContext } from '../../lib/handle/deadline.ts';

/** Time held in the hand: it stands still until the test lets it pass. */
export interface HandClock {
  readonly ambient: Ambient;
  wallMillis(): number;
  /** Lets time pass: timers ring in order, each followed by all that it sets off. */
  pass(millis: number): Promise<void>;
  /** Lets time pass from timer to timer until the work is over. */
  until<Value>(work: Promise<Value>): Promise<Value>;
  /** User code that takes so long. */
  wait(millis: number): Promise<void>;
  /** One clock jumps without the other and without a timer ringing, as after a freeze. */
  jump(by: { readonly wall?: number; readonly monotonic?: number }): void;
  /** A Lambda context with so much time left from now on. */
  context(remainingMillis: number): Required<InvocationContext>;
  /** Timers that are set. */
  readonly timers: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

const mostSteps = 10_000;

/** When the clock is handed out, and when messages are sent unless they say otherwise. */
export const startMillis = 1_800_000_000_000;

export function handClock(): HandClock {
  let wall = startMillis;
  let monotonic = 1_000;
  let timers: Timer[] = [];
  let order = 0;
  let ids = 0;

  const next = () => timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];

  async function ring(timer: Timer): Promise<void> {
    timers = timers.filter((other) => other !== timer);
    const wait = Math.max(0, timer.at - monotonic);
    wall += wait;
    monotonic += wait;
    timer.task();
    await settled();
  }

  return {
    ambient: {
      ...processAmbient,
      wallMillis: () => wall,
      monotonicMillis: () => monotonic,
      after(millis, task) {
        order += 1;
        const timer = { at: monotonic + Math.max(0, millis), order, task };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
      chance: () => 0.5,
      randomId: () => {
        ids += 1;
        return `owner-${ids}`;
      },
    },
    wallMillis: () => wall,
    async pass(millis) {
      await settled();
      const end = monotonic + millis;
      for (let timer = next(); timer !== undefined && timer.at <= end; timer = next()) await ring(timer);
      wall += end - monotonic;
      monotonic = end;
      await settled();
    },
    async until(work) {
      let over = false;
      const end = () => {
        over = true;
      };
      work.then(end, end);
      await settled();
      for (let step = 0; !over; step += 1) {
        const timer = next();
        if (timer === undefined || step > mostSteps) {
          throw new Error(`the work waits for something that is no timer (after ${step} timers)`);
        }
        await ring(timer);
      }
      return work;
    },
    wait(millis) {
      return new Promise((resolve) => this.ambient.after(millis, resolve));
    },
    jump(by) {
      wall += by.wall ?? 0;
      monotonic += by.monotonic ?? 0;
    },
    context(remainingMillis) {
      const endsAt = monotonic + remainingMillis;
      return { getRemainingTimeInMillis: () => endsAt - monotonic };
    },
    get timers() {
      return timers.length;
    },
  };
}

/** Waits until nothing goes on that needs no timer. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
