import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { doctorCommand } from '../../../lib/cli/doctor.ts';
import type { Finding } from '../../../lib/doctor/finding.ts';
import type { Deployment } from '../deployment.ts';
import { step } from '../step.ts';
import { exitCodeOf, type Fault, faults } from './faults.ts';
import { Ward } from './ward.ts';

const stack = ['--stack', 'SqsOnceCheck'];

/** The doctor over the deployed stack: nothing to say of it in health, and each fault found, then healed. */
export async function holdDoctor(deployment: Deployment): Promise<void> {
  const ward = new Ward(deployment);
  await ward.completeTable();
  const { Queue, Function: fn, Claims } = deployment.outputs;
  await step('doctor finds nothing wrong, whatever it is led by', async () => {
    const named = [stack, ['--queue', Queue], ['--function', fn], ['--queue', Queue, '--table', Claims]];
    for (const by of named) assert.deepEqual(await examine(by), { code: 0, findings: [] });
  });
  await step('doctor says what it could not check', () => holdUnchecked());
  for (const fault of faults) await step(`doctor finds: ${fault.said}`, () => holdFault(ward, fault));
  await step('doctor ends with 1 for a pipeline, in words', async () => {
    const heal = await ward.mapping({ FunctionResponseTypes: [] });
    const { code, out } = await shell(['doctor', ...stack]);
    assert.match(out, /error {4}the event source mapping does not report batch item failures/);
    assert.equal(code, 1);
    await heal();
  });
  ward.close();
}

async function holdFault(ward: Ward, fault: Fault): Promise<void> {
  const heal = await fault.plant(ward);
  try {
    const { code, findings } = await examine(stack);
    assert.deepEqual(findings.map(({ id }) => id).toSorted(), fault.findings.toSorted());
    const said = findings.find(({ id }) => id === fault.findings[0])?.what;
    assert.ok(said?.includes(fault.said), said);
    assert.equal(code, exitCodeOf(fault));
  } finally {
    await heal();
  }
  assert.deepEqual(await examine(stack), { code: 0, findings: [] });
}

/** A service that is not offered is neither well nor a crash. */
async function holdUnchecked(): Promise<void> {
  process.env.AWS_ENDPOINT_URL_CLOUDWATCH = 'http://127.0.0.1:1';
  try {
    const { findings } = await examine(stack);
    assert.deepEqual(
      findings.map(({ id }) => id),
      ['unseen-alarms'],
    );
    assert.match(findings[0]?.what ?? '', /^could not be checked: the alarms: .*ECONNREFUSED/);
  } finally {
    delete process.env.AWS_ENDPOINT_URL_CLOUDWATCH;
  }
}

interface Examination {
  readonly code: number;
  readonly findings: readonly Finding[];
}

/** The command in this process, where it costs a tenth of what a fresh one does. */
async function examine(args: readonly string[]): Promise<Examination> {
  const { log } = console;
  const said: string[] = [];
  console.log = (text: string) => said.push(text);
  try {
    await doctorCommand().parseAsync([...args, '--json'], { from: 'user' });
    const { consumers } = JSON.parse(said.join('\n')) as { consumers: { findings: Finding[] }[] };
    return { code: Number(process.exitCode ?? 0), findings: consumers.flatMap(({ findings }) => findings) };
  } finally {
    console.log = log;
    process.exitCode = undefined;
  }
}

function shell(args: readonly string[]): Promise<{ readonly code: unknown; readonly out: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['lib/cli/main.ts', ...args], (error, out) =>
      resolve({ code: error?.code ?? 0, out }),
    );
  });
}
