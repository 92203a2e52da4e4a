import type { Ambient } from '../ambient.ts';
import { StoreUnavailableError } from '../errors.ts';
import { isBusy } from './failure.ts';
import type { CallLimit } from './port.ts';

/** Waits between two tries at rows that a transaction keeps busy. */
const busyPauseMillis = { least: 10, most: 320 };

/**
 * One call to the table, given up after its limit even when the client hangs: the claim's lease counts while
 * we wait. Rows that a transaction keeps busy are tried again with jitter until then.
 */
export async function call<Answer>(
  ambient: Ambient,
  limit: CallLimit,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  let lastBusy: unknown;
  let cancel: () => void = () => {};
  const timeUp = new Promise<never>((_, reject) => {
    cancel = ambient.after(limit.timeoutMillis, () => {
      const waited = `${Math.round(limit.timeoutMillis)} ms`;
      reject(
        new StoreUnavailableError(`the claim table did not answer within ${waited}`, { cause: lastBusy }),
      );
      controller.abort();
    });
  });
  const untilNotBusy = async (): Promise<Answer> => {
    for (let most = busyPauseMillis.least; ; most = Math.min(most * 2, busyPauseMillis.most)) {
      try {
        return await send(controller.signal);
      } catch (error) {
        if (!isBusy(error)) throw error;
        lastBusy = error;
      }
      await pauseWithin(controller.signal, ambient, ambient.chance() * most);
    }
  };
  try {
    return await Promise.race([timeUp, untilNotBusy()]);
  } finally {
    cancel();
  }
}

/** Waits, and leaves neither a timer nor a further try behind when the call is given up meanwhile. */
function pauseWithin(signal: AbortSignal, ambient: Ambient, millis: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = ambient.after(millis, () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
