/** The failures of promises that nobody heard of, each of which ends a process. */
export async function rejectionsUnheardIn(work: () => unknown): Promise<readonly unknown[]> {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', hear);
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    process.off('unhandledRejection', hear);
  }
  return unheard;
}
