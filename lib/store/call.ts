import { type Ambient, pause } from '../ambient.ts';
import { StoreUnavailableError } from '../errors.ts';
import { isBusy } from './failure.ts';
import type { CallLimit } from './port.ts';

/** Waits between two tries at a row that a transaction keeps busy. */
const busyPauseMillis = { least: 10, most: 160 };

/**
 * One call to the table, given up after its limit even when the client hangs: the claim's lease counts while
 * we wait. A row that a transaction keeps busy is tried again with jitter until then.
 */
export async function call<Answer>(
  ambient: Ambient,
  limit: CallLimit,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  let cancel: () => void = () => {};
  const timeUp = new Promise<never>((_, reject) => {
    cancel = ambient.after(limit.timeoutMillis, () => {
      reject(
        new StoreUnavailableError(
          `the claim table did not answer within ${Math.round(limit.timeoutMillis)} ms`,
        ),
      );
      controller.abort();
    });
  });
  try {
    return await Promise.race([timeUp, untilNotBusy(ambient, controller.signal, send)]);
  } finally {
    cancel();
  }
}

async function untilNotBusy<Answer>(
  ambient: Ambient,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  for (let most = busyPauseMillis.least; ; most = Math.min(most * 2, busyPauseMillis.most)) {
    try {
      return await send(signal);
    } catch (error) {
      if (!isBusy(error) || signal.aborted) throw error;
      await pause(ambient, ambient.chance() * most);
    }
  }
}
