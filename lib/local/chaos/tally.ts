import type { OutcomeEventType } from '../../observe/events.ts';
import type { RunnerEvent } from '../events.ts';
import { receiveCountOf } from '../record.ts';
import { isOutcomeStep } from './words.ts';

/** What happened so far, in numbers of a fixed size. */
export interface Tally {
  readonly deliveries: number;
  /** Deliveries of a message that was delivered before. */
  readonly redeliveries: number;
  /** Invocations that took too long, whose workers were killed for it. */
  readonly timeouts: number;
  /** Whole batches that failed because the handler threw, and what it said last. */
  readonly throws: { readonly count: number; readonly last: string | undefined };
  told(type: OutcomeEventType): number;
  hear(event: RunnerEvent): void;
}

export function createTally(): Tally {
  const told = new Map<OutcomeEventType, number>();
  let deliveries = 0;
  let redeliveries = 0;
  let timeouts = 0;
  let throws: Tally['throws'] = { count: 0, last: undefined };
  return {
    get deliveries() {
      return deliveries;
    },
    get redeliveries() {
      return redeliveries;
    },
    get timeouts() {
      return timeouts;
    },
    get throws() {
      return throws;
    },
    told: (type) => told.get(type) ?? 0,
    hear(event) {
      if (event.type === 'delivered') {
        deliveries += event.deliveries.length;
        redeliveries += event.deliveries.filter(
          ({ record, duplicated }) => duplicated || receiveCountOf(record) > 1,
        ).length;
      }
      if (event.type === 'failed' && event.reason === 'timed-out') timeouts += 1;
      if (event.type === 'failed' && event.error !== undefined) {
        throws = { count: throws.count + 1, last: `${event.error.name}: ${event.error.message}` };
      }
      if (event.type === 'step' && isOutcomeStep(event.step)) {
        told.set(event.step.event, (told.get(event.step.event) ?? 0) + 1);
      }
    },
  };
}
