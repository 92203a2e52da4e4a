import { bundleOf, type Program } from './bundles.ts';
import { trafficOf } from './measures/traffic.ts';
import { ours, oursBatched, oursWithCommit } from './sides/ours.ts';
import type { Side } from './sides/side.ts';
import { startTables } from './tables.ts';

// npm run budgets: counts that may not grow unnoticed. Never times: those belong to the machine. A limit is
// raised on purpose, in the commit that needs it, and lowered when something was won.

const mostBytes: readonly (readonly [Program, 'outside' | 'inside', number])[] = [
  ['sqs-once', 'outside', 103_000],
  ['sqs-once, Middy', 'outside', 118_000],
  ['sqs-once', 'inside', 480_000],
];

const mostTraffic: readonly {
  readonly side: Side;
  readonly first: readonly [requests: number, bytes: number];
  readonly duplicate: readonly [requests: number, bytes: number];
}[] = [
  { side: ours, first: [2, 1_320], duplicate: [1, 580] },
  { side: oursBatched, first: [0.25, 1_020], duplicate: [1.1, 1_130] },
  { side: oursWithCommit, first: [1, 650], duplicate: [1, 650] },
];

const excesses: string[] = [];

function check(what: string, count: number, most: number): void {
  const line = `${what}: ${count.toLocaleString('en')} of ${most.toLocaleString('en')}`;
  console.log(line);
  if (count > most) excesses.push(line);
}

for (const [program, sdk, most] of mostBytes) {
  const { bytes } = await bundleOf(program, sdk);
  check(`bytes of the bundle "${program}", SDK ${sdk}`, bytes, most);
}

const tables = await startTables(mostTraffic.map(({ side }) => side));
try {
  for (const { side, first, duplicate } of mostTraffic) {
    const counted = await trafficOf(side, tables.endpoint);
    check(`${side.name}: requests per message`, counted.first.requests, first[0]);
    check(`${side.name}: bytes per message`, counted.first.sentBytes, first[1]);
    check(`${side.name}: requests per duplicate`, counted.duplicate.requests, duplicate[0]);
    check(`${side.name}: bytes per duplicate`, counted.duplicate.sentBytes, duplicate[1]);
  }
} finally {
  await tables.stop();
}

if (excesses.length > 0) {
  console.error(`\nover budget:\n${excesses.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = 1;
}
