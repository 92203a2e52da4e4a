import type { RunnerEvent } from '../events.ts';
import type { Order } from './plan.ts';

/** Kills workers at the worst moment: the gateway has taken the money, and the handler does not know it yet. */
export interface Killer {
  readonly kills: number;
  readonly charges: number;
  hear(event: RunnerEvent): void;
  /** An order was charged, and its caller still waits for the answer. */
  charged(orderId: string): void;
}

export function createKiller(killAtCharge: readonly number[], kill: (worker: number) => void): Killer {
  /** Running invocations by request id, the one that began first first. */
  const running = new Map<string, { readonly worker: number; readonly orderIds: readonly string[] }>();
  let charges = 0;
  let kills = 0;
  return {
    get kills() {
      return kills;
    },
    get charges() {
      return charges;
    },
    hear(event) {
      if (event.type === 'delivered') {
        const orderIds = event.deliveries.map(({ record }) => (JSON.parse(record.body) as Order).orderId);
        running.set(event.requestId, { worker: event.worker, orderIds });
      }
      if (event.type === 'answered' || event.type === 'failed') running.delete(event.requestId);
    },
    charged(orderId) {
      charges += 1;
      const dueAt = killAtCharge[kills];
      if (dueAt === undefined || charges < dueAt) return;
      // Not found when its worker was killed a moment ago; then the next charge decides.
      const found = [...running].find(([, { orderIds }]) => orderIds.includes(orderId));
      if (found === undefined) return;
      const [requestId, { worker }] = found;
      running.delete(requestId);
      kills += 1;
      kill(worker);
    },
  };
}
