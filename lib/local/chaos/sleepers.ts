import type { Delivery } from '../events.ts';
import type { Assault } from './plan.ts';
import type { Lullaby } from './words.ts';

/** Of the pauses, those that begin right before an outcome is sent; the others begin at any moment. */
const sleepingShare = 0.6;

/** Whether a pause is to begin right before an outcome is sent, where that is possible at all. */
export function isSleeper({ kind, fraction }: Assault): boolean {
  return kind === 'pause' && fraction < sleepingShare;
}

/**
 * Workers that will stop by themselves before they settle a message of which a second copy is on its way. The copy
 * is told when the lease is over, comes again, and overtakes the sleeper.
 */
export interface Sleepers {
  readonly count: number;
  /** @param choose a pause for this worker, if there is one to be had */
  delivered(worker: number, deliveries: readonly Delivery[], choose: () => Assault | undefined): void;
  /** It has stopped: the pause that was meant. */
  asleep(worker: number): Assault | undefined;
  /** It has nothing in its hands any more: the pause it was too late for. */
  idle(worker: number): Assault | undefined;
}

export function createSleepers(tell: (worker: number, lullaby: Lullaby) => void): Sleepers {
  const meant = new Map<number, Assault>();
  /** Who has a message, by its id. */
  const holders = new Map<string, number>();

  function lull(messageId: string, choose: () => Assault | undefined): void {
    const worker = holders.get(messageId);
    if (worker === undefined || meant.has(worker)) return;
    const pause = choose();
    if (pause === undefined) return;
    meant.set(worker, pause);
    tell(worker, { type: 'sqs-once', sleepsOver: messageId });
  }

  function taken(worker: number): Assault | undefined {
    const pause = meant.get(worker);
    meant.delete(worker);
    return pause;
  }

  return {
    get count() {
      return meant.size;
    },
    delivered(worker, deliveries, choose) {
      for (const { record, duplicated } of deliveries) {
        if (duplicated) lull(record.messageId, choose);
        else holders.set(record.messageId, worker);
      }
    },
    asleep: taken,
    idle(worker) {
      for (const [messageId, holder] of holders) if (holder === worker) holders.delete(messageId);
      return taken(worker);
    },
  };
}
