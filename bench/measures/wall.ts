import type { SqsEvent } from '../../lib/arrive/record.ts';
import { clientOf } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { inTurns, type Measure, ratioAtMost, rowOf, rowOfTwo } from '../measure.ts';
import { profileOf } from '../profile.ts';
import { statementsByHand, writesByHand } from '../sides/by-hand.ts';
import { type BatchHandler, receiptWork } from '../sides/side.ts';
import { allSides, compared, comparedBatched, namesOf, opened } from '../sides/sides.ts';
import { startTables } from '../tables.ts';

/** What the processor does meanwhile, ours beside the peer's. */
async function sharesOf(
  handlerOf: (name: string) => BatchHandler,
  makeEvent: () => SqsEvent,
): Promise<readonly string[]> {
  const shares: string[] = [];
  for (const name of [compared.ours, comparedBatched.ours, compared.peer]) {
    const events = Array.from({ length: 100 }, makeEvent);
    shares.push(
      `${name}: ${await profileOf(async () => {
        for (const event of events) await handlerOf(name)(event);
      })}`,
    );
  }
  return shares;
}

const oneByOne =
  'The same writes by hand, in this row, are the floor for a row of twelve attributes (fence, owner, attempts, times) where the peer’s has four, and lie below the peer. What ours adds to them is a limit for each call (a timer, an abort signal and whoever in the SDK listens to it), the library’s own work, and the SDK’s, which runs slower beside other code than alone: the shares below.';
const together =
  'The same statements by hand, in the row above, are the floor: two calls, in which the local table spends most of the time on the rows.';

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
      const again = freshEvent(10);
      for (const name of names) await handlerOf(name)(again);
      const profile = await sharesOf(handlerOf, () => freshEvent(10));
      const profileAgain = await sharesOf(handlerOf, () => again);
      return [
        {
          ...rowOf('wall per batch of 10, first', 'ms', first, compared, ratioAtMost(1)),
          obstacle: { reason: oneByOne, profile },
        },
        {
          ...rowOfTwo('… with batching', 'ms', first, comparedBatched, ratioAtMost(0.5)),
          obstacle: { reason: together, profile },
        },
        {
          ...rowOf('wall per batch of 10, duplicate', 'ms', duplicates, compared, ratioAtMost(1)),
          obstacle: { reason: oneByOne, profile: profileAgain },
        },
      ];
    } finally {
      client.destroy();
      await tables.stop();
    }
  },
};
