import { parseArgs } from 'node:util';
import { clientOf } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { receiptWork } from '../sides/side.ts';
import { sideNamed } from '../sides/sides.ts';

// A process of its own for one event: how long it takes, and how far its memory grows meanwhile.

const { values } = parseArgs({
  options: { side: { type: 'string' }, records: { type: 'string' }, endpoint: { type: 'string' } },
});
const client = clientOf(values.endpoint ?? '');
const handler = sideNamed(values.side ?? '').open(client, receiptWork);
const event = freshEvent(Number(values.records));
await handler(freshEvent(10));

const rssBefore = process.memoryUsage.rss();
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
await handler(event);
const millis = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
const grownMegabytes = Math.max(0, process.resourceUsage().maxRSS * 1_024 - rssBefore) / 1_000_000;
console.log(JSON.stringify({ millis, cpuMillis: (user + system) / 1_000, grownMegabytes }));
client.destroy();
