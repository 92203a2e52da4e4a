import { countingClient, type Traffic } from '../clients.ts';
import { freshEvent } from '../events.ts';
import { type Measure, type Row, rowOfCounts } from '../measure.ts';
import { receiptWork, type Side } from '../sides/side.ts';
import { allSides, compared } from '../sides/sides.ts';
import { startTables } from '../tables.ts';

/** What a batch of ten costs the table, the first time and again. Counts, the same on every machine. */
export interface TrafficOf {
  readonly first: Traffic;
  readonly duplicate: Traffic;
}

const records = 10;

export async function trafficOf(side: Side, endpoint: string): Promise<TrafficOf> {
  const { client, traffic } = countingClient(endpoint);
  const handler = side.open(client, receiptWork);
  const event = freshEvent(records);
  await handler(event);
  const first = perMessage(traffic);
  Object.assign(traffic, { requests: 0, sentBytes: 0 });
  await handler(event);
  const duplicate = perMessage(traffic);
  client.destroy();
  return { first, duplicate };
}

function perMessage({ requests, sentBytes }: Traffic): Traffic {
  return { requests: requests / records, sentBytes: Math.round(sentBytes / records) };
}

/** The most requests a message may cost, first and again. */
const mostRequests: Readonly<Record<string, readonly [number, number]>> = {
  'sqs-once': [2, 1],
  'sqs-once, batching': [0.25, 1.1],
  'sqs-once, with-commit': [1, 1],
};

export const traffic: Measure = {
  name: 'traffic',
  async run() {
    const tables = await startTables(allSides);
    try {
      const counted: [string, TrafficOf][] = [];
      for (const side of allSides) counted.push([side.name, await trafficOf(side, tables.endpoint)]);
      return [
        rowFrom(
          'DynamoDB requests per message, first',
          'requests',
          counted,
          ({ first }) => first.requests,
          0,
        ),
        rowFrom('… duplicate', 'requests', counted, ({ duplicate }) => duplicate.requests, 1),
        rowFrom('bytes sent per message, first', 'B', counted, ({ first }) => first.sentBytes),
        rowFrom('… duplicate', 'B', counted, ({ duplicate }) => duplicate.sentBytes),
      ];
    } finally {
      await tables.stop();
    }
  },
};

function rowFrom(
  measure: string,
  unit: string,
  counted: readonly (readonly [string, TrafficOf])[],
  figure: (traffic: TrafficOf) => number,
  limit?: 0 | 1,
): Row {
  const counts = Object.fromEntries(counted.map(([side, traffic]) => [side, figure(traffic)]));
  const row = rowOfCounts(measure, unit, counts, compared);
  if (limit === undefined) return row;
  const limits = Object.entries(mostRequests).map(([side, most]) => [side, most[limit]] as const);
  return {
    ...row,
    aim: {
      text: limits.map(([side, most]) => `${side} ≤ ${most}`).join('; '),
      met: limits.every(([side, most]) => (counts[side] ?? Number.NaN) <= most),
    },
  };
}
