import type { SqsRecord } from '../../arrive/record.ts';
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
 * Workers that will stop by themselves before they settle a message that comes twice. The copy is told when the lease
 * is over, comes again, and overtakes the sleeper.
 */
export interface Sleepers {
  readonly count: number;
  /** @param choose a pause, if there is one to be had */
  delivered(worker: number, deliveries: readonly Delivery[], choose: () => Assault | undefined): void;
  /** It has stopped, as it was meant to. */
  fellAsleep(worker: number): void;
  /** It never will: the pause it was too late for. */
  missed(worker: number): Assault | undefined;
  /** Who sleeps over this message, which somebody else has finished now: there is nothing more to wait for. */
  overtaken(messageId: string | undefined): number | undefined;
}

interface Sleep {
  readonly pause: Assault;
  readonly messageId: string;
}

export function createSleepers(
  comesTwice: (record: SqsRecord) => boolean,
  tell: (worker: number, lullaby: Lullaby) => void,
): Sleepers {
  const meant = new Map<number, Sleep>();
  /** Workers by the message they sleep over. */
  const asleep = new Map<string, number>();
  return {
    get count() {
      return meant.size;
    },
    delivered(worker, deliveries, choose) {
      const twice = deliveries.find(({ record, duplicated }) => !duplicated && comesTwice(record));
      if (twice === undefined || meant.has(worker)) return;
      const pause = choose();
      if (pause === undefined) return;
      const { messageId } = twice.record;
      meant.set(worker, { pause, messageId });
      tell(worker, { type: 'sqs-once', sleepsOver: messageId });
    },
    fellAsleep(worker) {
      const sleep = meant.get(worker);
      meant.delete(worker);
      if (sleep !== undefined) asleep.set(sleep.messageId, worker);
    },
    missed(worker) {
      const sleep = meant.get(worker);
      meant.delete(worker);
      return sleep?.pause;
    },
    overtaken(messageId = '') {
      const worker = asleep.get(messageId);
      asleep.delete(messageId);
      return worker;
    },
  };
}
