import { clientOf } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, type Obstacle, ratioAtMost, rowOf, rowOfTwo } from '../measure.ts';
import { profileOf } from '../profile.ts';
import { statementsByHand, writesByHand } from '../sides/by-hand.ts';
import { type BatchHandler, receiptWork } from '../sides/side.ts';
import { allSides, compared, comparedBatched, namesOf, opened } from '../sides/sides.ts';
import { startTables } from '../tables.ts';

/** Why it takes so long, and what the processor does meanwhile, ours beside the peer's. */
async function theRow(handlerOf: (name: string) => BatchHandler): Promise<Obstacle> {
  const profile: string[] = [];
  for (const name of [compared.ours, comparedBatched.ours, compared.peer]) {
    const shares = await profileOf(async () => {
      for (let batch = 0; batch < 100; batch += 1) await handlerOf(name)(freshEvent(10));
    });
    profile.push(`${name}: ${shares}`);
  }
  return {
    reason:
      'A row has twelve attributes (fence, owner, attempts, times) where the peer’s has four: the same writes and the same statements by hand, in the first of these rows, are the floor for anything that keeps such a row. Above it lie a limit for each call (a timer, an abort signal and whoever in the SDK listens to it), the library’s own work, and the SDK’s, which runs slower beside other code than alone.',
    profile,
  };
}

const warmUps = 30;
const rounds = 40;
const batchesPerSample = 10;

const sides = [...allSides, writesByHand, statementsByHand];

/** Time for a batch of ten on a local DynamoDB, its first delivery and a second one. */
export const wall: Measure = {
  name: 'wall',
  async run() {
    const tables = await startTables(sides);
    const client = clientOf(tables.endpoint);
    const handlerOf = opened(sides, (side) => side.open(client, receiptWork));
    const names = namesOf(sides);
    const duplicates: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));

    const sample = async (name: string) => {
      const handler = handlerOf(name);
      const events = Array.from({ length: batchesPerSample }, () => freshEvent(10));
      const millisPerBatch = async () => {
        const startedAt = performance.now();
        for (const event of events) await handler(event);
        return (performance.now() - startedAt) / batchesPerSample;
      };
      const first = await millisPerBatch();
      duplicates[name]?.push(await millisPerBatch());
      return first;
    };
    try {
      await inTurns(names, warmUps / batchesPerSample, sample);
      for (const name of names) duplicates[name] = [];
      const first = await inTurns(names, rounds, sample);
      const obstacle = await theRow(handlerOf);
      return [
        { ...rowOf('wall per batch of 10, first', 'ms', first, compared, ratioAtMost(1)), obstacle },
        { ...rowOfTwo('… with batching', 'ms', first, comparedBatched, ratioAtMost(0.5)), obstacle },
        { ...rowOf('wall per batch of 10, duplicate', 'ms', duplicates, compared, ratioAtMost(1)), obstacle },
      ];
    } finally {
      client.destroy();
      await tables.stop();
    }
  },
};
