import type { Ambient } from '../ambient.ts';
import { reserveMillis } from '../lease.ts';

/** The part of Lambda's context that is read. */
export interface InvocationContext {
  readonly getRemainingTimeInMillis?: (() => number) | undefined;
}

/** When an invocation has to be over, as far as anybody knows. */
export interface Deadline {
  /** Whether a deadline is known at all; a poller or a plain process has none. */
  readonly known: boolean;
  /** Milliseconds left, `Infinity` where none is known. */
  remainingMillis(): number;
  /** Whether there is time to start something new and still settle it. */
  hasRoom(): boolean;
  /** Runs `task` when only `leftMillis` are left; the answer cancels it. */
  whenLeft(leftMillis: number, task: () => void): () => void;
}

/**
 * The deadline of an invocation. A reading that is not a positive number when the invocation begins says
 * nothing (harnesses hand out 0, NaN and negative numbers): then no deadline is known, and the claim gets a
 * lease with a heartbeat. Later readings that say nothing fall back on the first one and the monotonic clock.
 */
export function deadlineOf(context: InvocationContext | undefined, ambient: Ambient): Deadline {
  const read = (): number | undefined => {
    const reading = context?.getRemainingTimeInMillis?.();
    return typeof reading === 'number' && Number.isFinite(reading) ? reading : undefined;
  };
  const first = read();
  if (first === undefined || first <= 0) return endless;

  const endsAtMonotonicMillis = ambient.monotonicMillis() + first;
  const remainingMillis = () => read() ?? endsAtMonotonicMillis - ambient.monotonicMillis();
  return {
    known: true,
    remainingMillis,
    hasRoom: () => remainingMillis() >= reserveMillis,
    whenLeft(leftMillis, task) {
      // A timer alone would trust the first reading; the context is asked again when it rings.
      const ring = () => {
        if (remainingMillis() <= leftMillis) task();
        else cancel = ambient.after(remainingMillis() - leftMillis, ring);
      };
      let cancel = ambient.after(remainingMillis() - leftMillis, ring);
      return () => cancel();
    },
  };
}

const endless: Deadline = {
  known: false,
  remainingMillis: () => Number.POSITIVE_INFINITY,
  hasRoom: () => true,
  whenLeft: () => () => {},
};
