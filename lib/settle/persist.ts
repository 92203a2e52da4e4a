import { pause } from '../ambient.ts';
import { isNamed } from '../errors.ts';
import { callLimit, type EngineInvocation } from '../invocation.ts';
import { answerMillis } from '../lease.ts';
import type { CallLimit } from '../store/port.ts';

/** Where no deadline is known, an outcome is tried to be recorded for this long. */
const patienceMillis = 60_000;

export type Unavailable = { readonly status: 'unavailable'; readonly error: Error };

/**
 * Writes what must be written: tried again, with growing pauses, until it landed or was refused or the time
 * is up. The request is the same every time, so a try that landed unnoticed is recognised.
 */
export async function persist<Landing>(
  invocation: EngineInvocation,
  write: (limit: CallLimit) => Promise<Landing>,
): Promise<Landing | Unavailable> {
  const { ambient } = invocation.settings.store;
  const startedAt = ambient.monotonicMillis();
  for (let most = 50; ; most = Math.min(most * 2, 2_000)) {
    try {
      return await write(callLimit(invocation));
    } catch (error) {
      const left = Math.min(
        invocation.deadline.remainingMillis() - answerMillis,
        startedAt + patienceMillis - ambient.monotonicMillis(),
      );
      const wait = most * (0.5 + ambient.chance() / 2);
      if (!isNamed(error, 'StoreUnavailableError') || left <= wait) {
        return { status: 'unavailable', error: error as Error };
      }
      await pause(ambient, wait);
    }
  }
}
