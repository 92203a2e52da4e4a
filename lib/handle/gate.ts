import { AsyncLocalStorage } from 'node:async_hooks';
import { whenOver } from '../in-time.ts';

/**
 * Who may run beside whom in this process. Most attempts run beside each other. One that follows an attempt
 * whose end is unknown runs alone: if its message is the one that kills workers, it dies by itself and its
 * neighbours are not charged for it.
 *
 *   beside  beside  beside ─┐
 *                           ├─ all done ─▶ alone ─▶ done ─▶ beside …
 *   alone waits, newcomers wait behind it ─┘
 *
 * The gate belongs to the process, not to an invocation: a crash takes everything in the process with it.
 */
export interface Gate {
  /** Waits for a place; the answer gives it back, once. `undefined` when `giveUp` came first. */
  enter(mode: 'beside' | 'alone', giveUp: Promise<void>): Promise<(() => void) | undefined>;
  /**
   * Runs user code that has a place. What enters from inside it is part of it and waits for nobody: a consumer
   * called by another consumer's handler would wait for that handler, and the handler for it.
   */
  inside<Result>(userCode: () => Result): Result;
}

interface Waiting {
  readonly mode: 'beside' | 'alone';
  admit(): void;
}

export function createGate(): Gate {
  const within = new AsyncLocalStorage<true>();
  let beside = 0;
  let alone = false;
  const queue: Waiting[] = [];

  function admitNext(): void {
    while (queue.length > 0) {
      const next = queue[0] as Waiting;
      if (!isFree(next.mode)) return;
      queue.shift();
      admit(next.mode);
      next.admit();
    }
  }

  function isFree(mode: Waiting['mode']): boolean {
    return !alone && (mode === 'beside' || beside === 0);
  }

  function admit(mode: Waiting['mode']): void {
    if (mode === 'alone') alone = true;
    else beside += 1;
  }

  function leaverOf(mode: Waiting['mode']): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      if (mode === 'alone') alone = false;
      else beside -= 1;
      admitNext();
    };
  }

  return {
    inside: (userCode) => within.run(true, userCode),
    async enter(mode, giveUp) {
      if (within.getStore()) return () => {};
      if (queue.length === 0 && isFree(mode)) {
        admit(mode);
        return leaverOf(mode);
      }
      let admitted = false;
      const place = new Promise<void>((resolve) => {
        const waiting: Waiting = {
          mode,
          admit() {
            admitted = true;
            cancelGiveUp();
            resolve();
          },
        };
        queue.push(waiting);
        const cancelGiveUp = whenOver(giveUp, () => {
          queue.splice(queue.indexOf(waiting), 1);
          resolve();
          admitNext();
        });
      });
      await place;
      return admitted ? leaverOf(mode) : undefined;
    },
  };
}

/** The gate of this process. */
export const processGate = createGate();
