/** What came of user code. A handler may throw anything at all, so what it threw is kept as it is. */
export type Handled =
  | { readonly status: 'returned'; readonly value: unknown }
  | { readonly status: 'threw'; readonly error: unknown };

/** Runs user code to its end; thenables of any kind and realm are awaited. Never rejects. */
export async function handled(run: () => unknown): Promise<Handled> {
  try {
    const value = await run();
    return isUnfinished(value) ? await finished(value) : { status: 'returned', value };
  } catch (error) {
    return { status: 'threw', error };
  }
}

/** Whether a list holds work that still runs: somebody forgot `Promise.all`. */
export function isUnfinished(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isThenable);
}

function isThenable(value: unknown): boolean {
  try {
    return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
  } catch {
    return false;
  }
}

/** All of a list's work has to end before anything is said of it, whatever fails first. */
async function finished(list: readonly unknown[]): Promise<Handled> {
  const ends = await Promise.allSettled(list);
  const failed = ends.find((end) => end.status === 'rejected');
  return failed === undefined
    ? { status: 'returned', value: ends.map((end) => (end.status === 'fulfilled' ? end.value : undefined)) }
    : { status: 'threw', error: failed.reason };
}

/** The value of a message whose handler answered for a whole event: it is done, and what it came to is unknown. */
export const unknownValue = Symbol('unknown value');

/**
 * What a whole-event handler says of a message behind one of its FIFO group that is not settled. Its work is
 * done and stays done; but what it collected may not land before what was sent before it.
 */
export class OutOfTurn {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
