import {
  type Aim,
  inTurns,
  type Measure,
  medianAtMost,
  type Row,
  ratioAtMost,
  rowOf,
  rowOfTwo,
  type Samples,
} from '../measure.ts';
import { type Heap, type OneEvent, takeOneEvent, toldOf } from '../one-event.ts';
import { ours, oursBatched } from '../sides/ours.ts';
import { peer } from '../sides/peer.ts';
import { rawCapped } from '../sides/raw.ts';
import { compared, comparedBatched, namesOf } from '../sides/sides.ts';
import { startTables } from '../tables.ts';

const sizes = [
  { records: 10, rounds: 21 },
  { records: 100, rounds: 9 },
  { records: 1_000, rounds: 9 },
];
const largest = { records: 10_000, rounds: 5 };

const sides = [ours, oursBatched, peer];

/** One event from small to as large as Lambda makes them, each in a fresh process. */
export const oneEvent: Measure = {
  name: 'one-event',
  async run() {
    const tables = await startTables([...sides, rawCapped]);
    try {
      const rows: Row[] = [];
      for (const { records, rounds } of sizes) {
        rows.push(...rowsOf(records, await takeInTurns(records, rounds, tables.endpoint)));
      }
      const taken = await takeInTurns(largest.records, largest.rounds, tables.endpoint);
      const evidence = await evidenceAt(largest.records, tables.endpoint);
      return [...rows, ...withAims(rowsOf(largest.records, taken), taken, evidence)];
    } finally {
      await tables.stop();
    }
  },
};

type Taken = Readonly<Record<keyof OneEvent, Samples>>;

async function takeInTurns(records: number, rounds: number, endpoint: string): Promise<Taken> {
  const cpuMillis = emptySamples();
  const grownMegabytes = emptySamples();
  const millis = await inTurns(namesOf(sides), rounds, async (side) => {
    const one = await takeOneEvent({ side, records, endpoint });
    if (one === undefined) throw new Error(`${side} ran out of memory at ${records} records`);
    cpuMillis[side]?.push(one.cpuMillis);
    grownMegabytes[side]?.push(one.grownMegabytes);
    return one.millis;
  });
  return { millis, cpuMillis, grownMegabytes };
}

function emptySamples(): Record<string, number[]> {
  return Object.fromEntries(namesOf(sides).map((name) => [name, []]));
}

/** Once each: the floor under every side, and what the same work takes in a smaller heap. */
async function evidenceAt(records: number, endpoint: string): Promise<readonly string[]> {
  const told = async (side: string, heap: Heap) =>
    toldOf(side, heap, await takeOneEvent({ side, records, endpoint, heap }));
  return [
    await told(rawCapped.name, 'as it comes'),
    await told(ours.name, 'young generation of 4 MB'),
    await told(oursBatched.name, 'young generation of 4 MB'),
    await told(ours.name, 'old generation of 128 MB'),
    await told(oursBatched.name, 'old generation of 128 MB'),
    await told(peer.name, 'old generation of 128 MB'),
  ];
}

function rowsOf(records: number, { millis, cpuMillis, grownMegabytes }: Taken): [Row, Row, Row] {
  const name = `one event of ${records.toLocaleString('en')} records`;
  return [
    rowOf(name, 'ms', millis, compared),
    rowOf(`${name}: processor`, 'ms', cpuMillis, compared),
    rowOf(`${name}: peak memory over start`, 'MB', grownMegabytes, compared),
  ];
}

const mostTime = 0.6;
const mostMegabytes = 150;

function withAims(
  [time, processor, memory]: [Row, Row, Row],
  { millis, grownMegabytes }: Taken,
  profile: readonly string[],
): readonly Row[] {
  const megabytesOf = (side: string) => medianAtMost(side, mostMegabytes, 'MB');
  return [
    { ...withAim(time, ratioAtMost(mostTime)), obstacle: { reason: twoRequests, profile } },
    rowOfTwo('… with batching', 'ms', millis, comparedBatched, ratioAtMost(mostTime)),
    processor,
    { ...withAim(memory, megabytesOf(ours.name)), obstacle: { reason: twoRequests, profile } },
    {
      ...rowOfTwo('… with batching', 'MB', grownMegabytes, comparedBatched, megabytesOf(oursBatched.name)),
      obstacle: { reason: leeway, profile },
    },
  ];
}

function withAim(row: Row, aim: (row: Row) => Aim): Row {
  return { ...row, aim: aim(row) };
}

const twoRequests =
  'Two requests a record go through the SDK whoever makes them: the raw SDK makes two bare writes and nothing else, and is the floor for anything that claims one by one. Batched claims go below it.';
const leeway =
  'What is left is the collector’s leeway, not what lives: in a smaller heap the same event is handled with less.';
