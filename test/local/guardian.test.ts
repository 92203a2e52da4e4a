import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { descendants, gone } from './processes.ts';

async function startProgram(): Promise<ChildProcess> {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'orphans.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(createInterface({ input: program.stdout }), 'line');
  return program;
}

test.for(['SIGKILL', 'SIGINT'] as const)(
  'nothing we started outlives us after %s, however busy or stopped it is',
  async (signal) => {
    const program = await startProgram();
    const family = descendants(program.pid ?? 0);
    // Two emulators, three workers, one worker's child and the guardian.
    expect(family).toHaveLength(7);
    program.kill(signal);
    await once(program, 'exit');
    const left = await gone(family);
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    expect(left).toEqual([]);
  },
);
