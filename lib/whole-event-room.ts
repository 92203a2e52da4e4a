import type { Passenger } from './passenger.ts';

/** Between two that come back to run alone. In a process of its own each runs at once, however long another takes. */
const apartMillis = 1_000;

/** One whose last attempt's end is unknown and that may run now; in a FIFO group not before what was sent before it. */
export function whoRunsAlone(passengers: readonly Passenger[]): Passenger | undefined {
  return passengers.find(
    ({ stop, captured: { fifoGroup } }) =>
      stop === 'asks to run alone' &&
      (fifoGroup === undefined ||
        !passengers.some((other) => other.captured.fifoGroup === fifoGroup && other.stop === 'claimed')),
  );
}

/** Everybody who has to make room for it. */
export function whoMakesRoom(passengers: readonly Passenger[], alone: Passenger): readonly Passenger[] {
  return passengers.filter(
    (passenger) =>
      passenger !== alone && (passenger.stop === 'claimed' || passenger.stop === 'asks to run alone'),
  );
}

/**
 * Its like come back one after the other: together they would find each other again, and each round costs all of them
 * a receive.
 */
export function keepApart(others: readonly Passenger[]): void {
  const itsLike = others.filter(({ stop }) => stop === 'asks to run alone');
  for (const [place, passenger] of itsLike.entries()) passenger.comeBackAfter((place + 1) * apartMillis);
}
