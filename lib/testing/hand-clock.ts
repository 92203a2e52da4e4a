import { types } from 'node:util';

/** A clock held in the hand: it answers the time in epoch milliseconds, and moves only when it is told to. */
export interface HandClock {
  /** Epoch milliseconds. */
  (): number;
  /** Lets so many seconds pass; fractions are fine, the past is not. */
  passSeconds(seconds: number): void;
}

/**
 * A clock for `memoryClaims({ clock })`: leases end and rows expire when the test says so.
 *
 * @param start default now, when `sqsEvent` sends its messages: sent years before, a redelivery would be parked as
 * one that outlived its row
 * @throws TypeError when `start` is no valid `Date`; RangeError from `passSeconds`, for a number that is negative or no
 * number
 * @example
 * ```ts
 * const clock = handClock();
 * const claims = memoryClaims({ clock });
 * clock.passSeconds(60); // a minute later, at once
 * ```
 */
export function handClock(start: Date = new Date()): HandClock {
  if (!types.isDate(start) || Number.isNaN(start.getTime())) {
    throw new TypeError(`handClock was given ${String(start)}; give a Date with a time, or nothing for now`);
  }
  let nowMillis = start.getTime();
  const clock = () => nowMillis;
  return Object.assign(clock, {
    passSeconds(seconds: number) {
      if (!(seconds >= 0)) throw new RangeError(`passSeconds was given ${seconds}; give 0 or more`);
      nowMillis += seconds * 1_000;
    },
  });
}
