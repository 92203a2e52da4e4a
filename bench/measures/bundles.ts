import { type Bundle, bundleOf, type Program } from '../bundles.ts';
import { type Measure, rowOfCounts } from '../measure.ts';
import { compared } from '../sides/sides.ts';

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
    const profile = [
      await partsOf('sqs-once, Middy', 'outside'),
      await partsOf('sqs-once', 'inside'),
      await partsOf('bare SDK, DynamoDB and SQS', 'inside'),
    ];
    return [
      {
        ...rowOfCounts('bundle, ES module, SDK outside', 'B', withoutSdk, compared),
        aim: { text: 'with Middy ≤ 30,000 B', met: (withoutSdk['sqs-once, Middy'] ?? Number.NaN) <= 30_000 },
        obstacle: { reason: wholeEngine, profile },
      },
      {
        ...rowOfCounts('bundle, CommonJS, SDK inside', 'B', withSdk, compared),
        aim: {
          text: '≤ 1.1× the bare DynamoDB client',
          met: (withSdk['sqs-once'] ?? Number.NaN) <= 1.1 * (withSdk['bare SDK, DynamoDB'] ?? 0),
        },
        obstacle: { reason: `${wholeEngine} ${twoClients}`, profile },
      },
    ];
  },
};

const wholeEngine =
  'Every consumer can park, collect writes, send follow-ups and take whole events, so a bundler finds all of it reachable; each of these parts alone is some thousand bytes, and the sentences that refuse wrong options are among them.';
const twoClients = 'The SQS client, for parking and visibility, is in the bundle too.';

/** A bundle's bytes by where they come from. */
async function partsOf(program: Program, sdk: 'outside' | 'inside'): Promise<string> {
  const { parts } = await bundleOf(program, sdk);
  const byOrigin = new Map<string, number>();
  for (const [path, bytes] of parts) {
    const origin = originOf(path);
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + bytes);
  }
  const list = [...byOrigin]
    .sort(([, left], [, right]) => right - left)
    .filter(([, bytes]) => bytes >= 1_000)
    .map(([origin, bytes]) => `${origin} ${bytes.toLocaleString('en')}`);
  return `${program}, SDK ${sdk}: ${list.join(', ')} B`;
}

function originOf(path: string): string {
  if (/node_modules\/@(aws-sdk|smithy|aws)\//.test(path)) return 'the SDK';
  const [top = '', next = ''] = path.replace(/^.*node_modules\//, '').split('/');
  return top === 'lib' && next.endsWith('.ts') ? 'lib' : `${top}/${next}`;
}

async function bytesOf(programs: readonly Program[], sdk: 'outside' | 'inside') {
  const made: [Program, Bundle][] = [];
  for (const program of programs) made.push([program, await bundleOf(program, sdk)]);
  return Object.fromEntries(made.map(([program, { bytes }]) => [program, bytes]));
}
