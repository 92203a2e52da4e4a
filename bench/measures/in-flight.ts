import { clientOf } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, rowOf } from '../measure.ts';
import { ours } from '../sides/ours.ts';
import { peer } from '../sides/peer.ts';
import { compared, namesOf, opened } from '../sides/sides.ts';
import { quantile } from '../statistics.ts';
import { startTables } from '../tables.ts';

const warmUps = 2;
const rounds = 9;
const answersPerSample = 1_000;

/** How soon a delivery is answered whose message is being handled elsewhere. */
export const inFlight: Measure = {
  name: 'in-flight',
  async run() {
    const sides = [ours, peer];
    const tables = await startTables(sides);
    const client = clientOf(tables.endpoint);
    const held = Promise.withResolvers<undefined>();
    const running = freshEvent(1);
    const started: Promise<unknown>[] = [];
    const handlerOf = opened(sides, (side) => {
      const { promise: claimed, resolve } = Promise.withResolvers<void>();
      const handler = side.open(client, async () => {
        resolve();
        return held.promise;
      });
      started.push(claimed);
      return { handler, first: handler(running) };
    });
    await Promise.all(started);
    const medians: Record<string, number[]> = Object.fromEntries(namesOf(sides).map((name) => [name, []]));
    const p99 = async (name: string) => {
      const { handler } = handlerOf(name);
      const millis: number[] = [];
      for (let answer = 0; answer < answersPerSample; answer += 1) {
        const startedAt = performance.now();
        await handler(running);
        millis.push(performance.now() - startedAt);
      }
      medians[name]?.push(quantile(millis, 0.5));
      return quantile(millis, 0.99);
    };
    try {
      await inTurns(namesOf(sides), warmUps, p99);
      for (const name of namesOf(sides)) medians[name] = [];
      const late = await inTurns(namesOf(sides), rounds, p99);
      return [
        rowOf('in-flight answer, median', 'ms', medians, compared),
        rowOf('… 99th percentile', 'ms', late, compared),
      ];
    } finally {
      held.resolve(undefined);
      await Promise.all(sides.map(({ name }) => handlerOf(name).first));
      client.destroy();
      await tables.stop();
    }
  },
};
