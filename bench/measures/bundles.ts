import { type Bundle, bundleOf, type Program } from '../bundles.ts';
import type { Measure, Row } from '../measure.ts';

const outside: readonly Program[] = ['sqs-once', 'sqs-once, Middy', 'Powertools', 'Powertools, Middy'];
const inside: readonly Program[] = [
  'sqs-once',
  'Powertools',
  'bare SDK, DynamoDB',
  'bare SDK, DynamoDB and SQS',
];

export const bundles: Measure = {
  name: 'bundles',
  async run() {
    const withoutSdk = await bytesOf(outside, 'outside');
    const withSdk = await bytesOf(inside, 'inside');
    return [
      {
        ...rowFrom('bundle, ES module, SDK outside', withoutSdk),
        aim: { text: 'with Middy ≤ 30,000 B', met: (withoutSdk['sqs-once, Middy'] ?? Number.NaN) <= 30_000 },
      },
      {
        ...rowFrom('bundle, CommonJS, SDK inside', withSdk),
        aim: {
          text: '≤ 1.1× the bare DynamoDB client',
          met: (withSdk['sqs-once'] ?? Number.NaN) <= 1.1 * (withSdk['bare SDK, DynamoDB'] ?? 0),
        },
      },
    ];
  },
};

async function bytesOf(programs: readonly Program[], sdk: 'outside' | 'inside') {
  const made: [Program, Bundle][] = [];
  for (const program of programs) made.push([program, await bundleOf(program, sdk)]);
  return Object.fromEntries(made.map(([program, { bytes }]) => [program, bytes]));
}

function rowFrom(measure: string, bytes: Readonly<Record<string, number>>): Row {
  return {
    measure,
    unit: 'B',
    figures: Object.fromEntries(
      Object.entries(bytes).map(([program, size]) => [
        program,
        { median: size, lowest: size, highest: size },
      ]),
    ),
  };
}
