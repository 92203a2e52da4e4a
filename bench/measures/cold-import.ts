import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleOf, type Program } from '../bundles.ts';
import { inTurns, type Measure, type Row, rowOf, type Samples } from '../measure.ts';
import { compared } from '../sides/sides.ts';
import { spreadOf } from '../statistics.ts';

const run = promisify(execFile);
const bare: Program = 'bare SDK, DynamoDB';
const programs: readonly Program[] = ['sqs-once', 'Powertools', bare, 'bare SDK, DynamoDB and SQS'];
const rounds = 21;

/** How long a fresh process takes to load a handler with everything in it. */
export const coldImport: Measure = {
  name: 'cold-import',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'sqs-once-bench-'));
    try {
      for (const program of programs) {
        await writeFile(join(folder, fileOf(program)), (await bundleOf(program, 'inside')).text);
      }
      const sample = (program: string) => importMillis(join(folder, fileOf(program)));
      await inTurns(programs, 1, sample);
      const samples = await inTurns(programs, rounds, sample);
      return [rowOf('cold import, SDK inside', 'ms', samples, compared), overBare(samples)];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

function fileOf(program: string): string {
  return `${program.replace(/\W+/g, '-')}.cjs`;
}

const script = `
  const startedAt = performance.now();
  require(process.argv[1]);
  console.log(performance.now() - startedAt);`;

async function importMillis(path: string): Promise<number> {
  const env = {
    ...process.env,
    AWS_REGION: 'us-east-1',
    SQS_ONCE_TABLE: 'claims',
    SQS_ONCE_PARTIAL_RESPONSES: 'true',
  };
  const { stdout } = await run(process.execPath, ['--eval', script, path], { env });
  return Number(stdout);
}

/** Processes of one round are compared with each other. */
function overBare(samples: Samples): Row {
  const over = (program: Program) =>
    (samples[program] ?? []).map((millis, round) => millis - (samples[bare]?.[round] ?? Number.NaN));
  const figures = Object.fromEntries(
    programs.filter((program) => program !== bare).map((program) => [program, spreadOf(over(program))]),
  );
  const ours = figures['sqs-once']?.median ?? Number.NaN;
  return {
    measure: '… over the bare DynamoDB client',
    unit: 'ms',
    figures,
    aim: { text: '≤ 3 ms', met: ours <= 3 },
    obstacle: {
      reason:
        'The client for SQS is loaded too, for parking and visibility: the bare SDK with both clients, in the same row, is the floor. What lies above it is the library, which is more than the peer’s.',
      profile: [],
    },
  };
}
