import fc, { type IAsyncProperty } from 'fast-check';

/**
 * Checks a property, and throws the very expectation that failed, so that a broken twin is caught by it. The
 * report that tells how to run it again stands below.
 */
export async function always(property: IAsyncProperty<unknown>, numRuns: number): Promise<void> {
  try {
    await fc.assert(property, { numRuns });
  } catch (failed) {
    const { cause, message } = failed as Error;
    if (!(cause instanceof Error)) throw failed;
    cause.message = `${cause.message}\n${message}`;
    throw cause;
  }
}
