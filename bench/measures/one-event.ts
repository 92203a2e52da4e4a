import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Aim,
  inTurns,
  type Measure,
  medianAtMost,
  type Obstacle,
  type Row,
  ratioAtMost,
  rowOf,
  rowOfTwo,
  type Samples,
} from '../measure.ts';
import { ours, oursBatched } from '../sides/ours.ts';
import { peer } from '../sides/peer.ts';
import { rawCapped } from '../sides/raw.ts';
import { compared, comparedBatched, namesOf } from '../sides/sides.ts';
import { startTables } from '../tables.ts';

const run = promisify(execFile);
const child = fileURLToPath(new URL('../processes/one-event.ts', import.meta.url));

const sizes = [
  { records: 10, rounds: 5 },
  { records: 100, rounds: 5 },
  { records: 1_000, rounds: 5 },
  { records: 10_000, rounds: 3 },
];
const largest = 10_000;

const sides = [ours, oursBatched, peer, rawCapped];

/** One event from small to as large as Lambda makes them, each in a fresh process. */
export const oneEvent: Measure = {
  name: 'one-event',
  async run() {
    const tables = await startTables(sides);
    try {
      const rows: Row[] = [];
      for (const { records, rounds } of sizes) {
        const taken: Taken = { cpuMillis: emptySamples(), grownMegabytes: emptySamples() };
        const millis = await inTurns(namesOf(sides), rounds, async (side) => {
          const one = await takeOne(side, records, tables.endpoint);
          taken.cpuMillis[side]?.push(one.cpuMillis);
          taken.grownMegabytes[side]?.push(one.grownMegabytes);
          return one.millis;
        });
        rows.push(...rowsOf(records, millis, taken));
      }
      return rows;
    } finally {
      await tables.stop();
    }
  },
};

type Taken = Readonly<Record<'cpuMillis' | 'grownMegabytes', Record<string, number[]>>>;

function emptySamples(): Record<string, number[]> {
  return Object.fromEntries(namesOf(sides).map((name) => [name, []]));
}

async function takeOne(side: string, records: number, endpoint: string) {
  const args = [child, '--side', side, '--records', String(records), '--endpoint', endpoint];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as Readonly<Record<'millis' | 'cpuMillis' | 'grownMegabytes', number>>;
}

function rowsOf(records: number, millis: Samples, taken: Taken): readonly Row[] {
  const name = `one event of ${records.toLocaleString('en')} records`;
  const { cpuMillis, grownMegabytes } = taken;
  const rows = [
    rowOf(name, 'ms', millis, compared),
    rowOf(`${name}: processor`, 'ms', cpuMillis, compared),
    rowOf(`${name}: peak memory over start`, 'MB', grownMegabytes, compared),
  ];
  if (records !== largest) return rows;
  const [time, processor, memory] = rows as [Row, Row, Row];
  return [
    { ...withAim(time, ratioAtMost(mostTime)), obstacle: twoRequests },
    rowOfTwo('… with batching', 'ms', millis, comparedBatched, ratioAtMost(mostTime)),
    processor,
    { ...withAim(memory, medianAtMost(ours.name, mostMegabytes, 'MB')), obstacle: twoRequests },
    {
      ...rowOfTwo(
        '… with batching',
        'MB',
        grownMegabytes,
        comparedBatched,
        medianAtMost(oursBatched.name, mostMegabytes, 'MB'),
      ),
      obstacle: garbage,
    },
  ];
}

const twoRequests: Obstacle = {
  reason:
    'Two requests a record go through the SDK whoever makes them: the row “raw SDK, 50 at a time” makes two bare writes and nothing else, and is the floor for anything that claims one by one. Batched claims go below it.',
  profile: [],
};

const garbage: Obstacle = {
  reason:
    'What is left is the collector’s leeway, 16 MB of young space three times over and what the SDK lets grow old between two collections; a smaller heap limit, as Lambda gives one, makes it collect earlier.',
  profile: [],
};

const mostTime = 0.6;
const mostMegabytes = 150;

function withAim(row: Row, aim: (row: Row) => Aim): Row {
  return { ...row, aim: aim(row) };
}
