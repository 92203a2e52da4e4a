/** What came of user code. A handler may throw anything at all, so what it threw is kept as it is. */
export type Handled =
  | { readonly status: 'returned'; readonly value: unknown }
  | { readonly status: 'threw'; readonly error: unknown };

/** Runs user code; thenables of any kind and realm are awaited. Never rejects. */
export async function handled(run: () => unknown): Promise<Handled> {
  try {
    return { status: 'returned', value: await run() };
  } catch (error) {
    return { status: 'threw', error };
  }
}

/** The value of a message whose handler answered for a whole event: it is done, and what it came to is unknown. */
export const unknownValue = Symbol('unknown value');

/** Thrown in place of user code that was not called: the attempt does not count. */
export const notStarted = Symbol('not started');
