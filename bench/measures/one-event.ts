import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Aim, inTurns, type Measure, type Row, rowOf, type Samples } from '../measure.ts';
import { ours } from '../sides/ours.ts';
import { peer } from '../sides/peer.ts';
import { compared, namesOf } from '../sides/sides.ts';
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

const sides = [ours, peer];

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
  const isLargest = records === largest;
  return [
    rowOf(name, 'ms', millis, compared, isLargest ? timeAim : undefined),
    rowOf(`${name}: processor`, 'ms', taken.cpuMillis, compared),
    rowOf(
      `${name}: peak memory over start`,
      'MB',
      taken.grownMegabytes,
      compared,
      isLargest ? memoryAim : undefined,
    ),
  ];
}

function timeAim({ ratio }: Row): Aim {
  return { text: '≤ 0.6× the peer', met: ratio !== undefined && ratio.median <= 0.6 };
}

function memoryAim({ figures }: Row): Aim {
  return { text: '≤ 150 MB', met: (figures[ours.name]?.median ?? Number.POSITIVE_INFINITY) <= 150 };
}
