/**
 * What the engine needs from the process around it: time, timers and chance. Handed in, so that a
 * test can hold the clock in its hand and a simulation can give every worker a clock of its own.
 */
export interface Ambient {
  /** Wall clock, epoch milliseconds: leases are written in it. */
  wallMillis(): number;
  /** A clock that never jumps back, in milliseconds from any start. */
  monotonicMillis(): number;
  /** Runs `task` after `millis`; the answer cancels it. Whoever sets a timer cancels it when its work ends. */
  after(millis: number, task: () => void): () => void;
  /** A number in [0, 1). */
  chance(): number;
  /** A fresh random id, for owners. */
  randomId(): string;
}

/** The longest a Node timer can wait; longer waits fire at once. */
const longestTimerMillis = 2_147_483_647;

/** The process as it is. */
export const processAmbient: Ambient = {
  wallMillis: Date.now,
  monotonicMillis: () => performance.now(),
  after(millis, task) {
    const timer = setTimeout(task, Math.min(Math.max(0, millis), longestTimerMillis));
    return () => clearTimeout(timer);
  },
  chance: Math.random,
  randomId: () => crypto.randomUUID(),
};

/** The process with another clock, for tests that turn time by hand. */
export function ambientWithClock(clock: () => number): Ambient {
  return { ...processAmbient, wallMillis: clock, monotonicMillis: clock };
}

/** Waits on the ambient's clock. */
export function pause(ambient: Ambient, millis: number): Promise<void> {
  return new Promise((resolve) => ambient.after(millis, resolve));
}
