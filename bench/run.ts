import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Measure, Row } from './measure.ts';
import { bundles } from './measures/bundles.ts';
import { coldImport } from './measures/cold-import.ts';
import { cpu } from './measures/cpu.ts';
import { fifo } from './measures/fifo.ts';
import { inFlight } from './measures/in-flight.ts';
import { oneEvent } from './measures/one-event.ts';
import { scale } from './measures/scale.ts';
import { traffic } from './measures/traffic.ts';
import { wall } from './measures/wall.ts';
import { type Circumstances, markdownOf } from './report.ts';

// npm run bench: every measure, and RESULTS.md and results.json written anew. With names of measures only
// these, and nothing is written: npm run bench -- cpu fifo

const measures: readonly Measure[] = [
  traffic,
  bundles,
  cpu,
  wall,
  fifo,
  inFlight,
  coldImport,
  oneEvent,
  scale,
];

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = measures.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((asked) => !measures.some(({ name }) => name === asked));
if (unknown.length > 0) {
  const there = measures.map(({ name }) => name).join(', ');
  console.error(`there is no measure ${unknown.join(', ')}; there are ${there}`);
  process.exit(1);
}

const startedAt = performance.now();
const loadBefore = loadNow();
const rows: Row[] = [];
for (const measure of wanted) {
  console.error(`measuring ${measure.name} …`);
  rows.push(...(await measure.run()));
}

const circumstances: Circumstances = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`,
  node: process.versions.node,
  peer: peerVersions(),
  loadBefore,
  loadAfter: loadNow(),
  seconds: (performance.now() - startedAt) / 1_000,
};
const report = markdownOf(rows, circumstances);
console.log(report);
if (positionals.length === 0) {
  writeFileSync(new URL('RESULTS.md', import.meta.url), report);
  writeFileSync(
    new URL('results.json', import.meta.url),
    `${JSON.stringify({ ...circumstances, rows }, undefined, 2)}\n`,
  );
}

function loadNow(): number {
  return loadavg()[0] ?? Number.NaN;
}

function peerVersions(): string {
  return ['idempotency', 'batch']
    .map((name) => {
      const path = new URL(`../node_modules/@aws-lambda-powertools/${name}/package.json`, import.meta.url);
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
      return `@aws-lambda-powertools/${name} ${version}`;
    })
    .join(' and ');
}
