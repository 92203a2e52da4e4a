import type { Ambient } from '../../ambient.ts';
import type { BatchStatement } from './statements.ts';

/** What became of one statement of a call, in the call's order; nothing means that it was done. */
export interface StatementError {
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

/** One call for many statements. */
export type SendBatch = (
  statements: readonly BatchStatement[],
  signal: AbortSignal,
) => Promise<readonly (StatementError | undefined)[]>;

/**
 * How a ride ended. `alone` says that the statement did nothing and is better sent by itself: nobody came
 * along, or it was refused, and only a single write is told what stands there instead.
 */
export type Ride = { readonly status: 'landed' } | { readonly status: 'alone' };

/** Gathers statements on rows that are ready at the same moment into calls. */
export interface Batcher {
  /** @param signal given up: what is not yet on its way is not sent any more */
  ride(rowKey: string, statement: BatchStatement, signal: AbortSignal): Promise<Ride>;
  /** Makes a single write, which is in the air like any other call. */
  byItself<Answer>(write: () => Promise<Answer>): Promise<Answer>;
}

interface Passenger {
  readonly rowKey: string;
  readonly statement: BatchStatement;
  readonly signal: AbortSignal;
  resolve(ride: Ride): void;
  reject(error: unknown): void;
}

/** DynamoDB takes 25 statements in a call, no two of them on one item. */
const mostInCall = 25;

/** The longest others wait for a call in the air. One that hangs must not keep every outcome of the process. */
const longestWaitMillis = 250;

/**
 * Nobody waits for company by the clock. What becomes ready in one turn of the event loop travels together;
 * `whileInTheAir` also gathers what becomes ready while a call is on its way, until that is back, late, or a
 * call is full.
 */
export function createBatcher(
  send: SendBatch,
  ambient: Ambient,
  { whileInTheAir }: { readonly whileInTheAir: boolean },
): Batcher {
  let waiting: Passenger[] = [];
  let inTheAir = 0;
  let leaving = false;

  function leaveSoon(): void {
    if (leaving) return;
    leaving = true;
    // Runs when every promise that is ready has been told: until then others of this moment may join.
    process.nextTick(() => {
      leaving = false;
      while (mayLeave()) void fly(nextPassengers());
    });
  }

  function mayLeave(): boolean {
    return waiting.length >= mostInCall || (waiting.length > 0 && (!whileInTheAir || inTheAir === 0));
  }

  function nextPassengers(): readonly Passenger[] {
    const boarding = new Map<string, Passenger>();
    const left: Passenger[] = [];
    for (const passenger of waiting) {
      if (passenger.signal.aborted) passenger.reject(passenger.signal.reason);
      else if (boarding.size < mostInCall && !boarding.has(passenger.rowKey))
        boarding.set(passenger.rowKey, passenger);
      else left.push(passenger);
    }
    waiting = left;
    return [...boarding.values()];
  }

  async function fly(passengers: readonly Passenger[]): Promise<void> {
    if (passengers.length < 2) {
      for (const passenger of passengers) passenger.resolve(alone);
      return;
    }
    await inTheAirDuring(() => deliver(passengers, send));
  }

  async function inTheAirDuring<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    inTheAir += 1;
    let isAwaited = true;
    const release = () => {
      if (!isAwaited) return;
      isAwaited = false;
      inTheAir -= 1;
      if (waiting.length > 0) leaveSoon();
    };
    const cancel = ambient.after(longestWaitMillis, release);
    try {
      return await call();
    } finally {
      cancel();
      release();
    }
  }

  return {
    ride: (rowKey, statement, signal) =>
      new Promise((resolve, reject) => {
        waiting.push({ rowKey, statement, signal, resolve, reject });
        leaveSoon();
      }),
    byItself: inTheAirDuring,
  };
}

const landed: Ride = { status: 'landed' };
const alone: Ride = { status: 'alone' };

async function deliver(passengers: readonly Passenger[], send: SendBatch): Promise<void> {
  const { signal, cancel } = whenAllGaveUp(passengers.map((passenger) => passenger.signal));
  try {
    const errors = await send(
      passengers.map(({ statement }) => statement),
      signal,
    );
    for (const [place, passenger] of passengers.entries()) arrive(passenger, errors[place]);
  } catch (error) {
    // A call that is refused as a whole did nothing: its form, or two statements on one item.
    const refused = error instanceof Error && error.name === 'ValidationException';
    for (const { resolve, reject } of passengers) {
      if (refused) resolve(alone);
      else reject(error);
    }
  } finally {
    cancel();
  }
}

function arrive({ resolve, reject }: Passenger, error: StatementError | undefined): void {
  if (error === undefined) {
    resolve(landed);
  } else if (betterAlone.includes(error.Code ?? '')) {
    resolve(alone);
  } else {
    const name = exceptionNames[error.Code ?? ''] ?? error.Code ?? 'UnknownError';
    reject(Object.assign(new Error(error.Message ?? name), { name }));
  }
}

const betterAlone: readonly string[] = ['DuplicateItem', 'ConditionalCheckFailed', 'ValidationError'];

/** What the same failure of a single write is called. */
const exceptionNames: Readonly<Record<string, string>> = {
  AccessDenied: 'AccessDeniedException',
  ResourceNotFound: 'ResourceNotFoundException',
  TransactionConflict: 'TransactionConflictException',
};

/** A call is given up when nobody waits for it any more. */
function whenAllGaveUp(signals: readonly AbortSignal[]): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  let left = signals.length;
  const giveUp = () => {
    left -= 1;
    if (left === 0) controller.abort();
  };
  for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
  return {
    signal: controller.signal,
    cancel() {
      for (const signal of signals) signal.removeEventListener('abort', giveUp);
    },
  };
}
