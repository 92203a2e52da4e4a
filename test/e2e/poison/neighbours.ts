import type { Order } from './handler.ts';
import { openStage } from './stage.ts';

/** What became of one order that kills its worker among good ones. */
export interface Neighbours {
  readonly parked: readonly string[];
  readonly completed: number;
  /** The most attempts a good order needed. */
  readonly mostAttemptsOfGoodOnes: number;
  readonly workersLost: number;
  /** Messages SQS itself moved to the dead-letter queue, or copies too many. */
  readonly deadLetters: number;
}

export const killer: Order = { orderId: 'order-3', trouble: 'kills its worker' };

/** One message that calls process.exit(1) among nine good ones, in one batch, on real workers. */
export async function amongNeighbours(maxAttempts: number): Promise<Neighbours> {
  let workersLost = 0;
  const stage = await openStage(maxAttempts, (event) => {
    if (event.type === 'worker-ended' && event.code === 1) workersLost += 1;
  });
  try {
    const orders = Array.from({ length: 10 }, (_, place) => ({ orderId: `order-${place}` }));
    await stage.send(orders.map((order) => (order.orderId === killer.orderId ? killer : order)));
    const runner = await stage.open({ workers: 2 });
    await runner.drained();
    await runner.stop();
    const rows = await stage.rows();
    const good = rows.filter(({ claim }) => !claim.endsWith(killer.orderId));
    return {
      parked: rows.filter(({ status }) => status === 'parked').map(({ claim }) => claim),
      completed: rows.filter(({ status }) => status === 'completed').length,
      mostAttemptsOfGoodOnes: Math.max(...good.map(({ attempts }) => attempts)),
      workersLost,
      deadLetters: (await stage.deadLetterKeys()).length,
    };
  } finally {
    await stage.stop();
  }
}
