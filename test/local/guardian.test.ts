import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

function processes(): ProcessLine[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = '', ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state, command: command.join(' ') };
    });
}

function descendants(pid: number, all = processes()): ProcessLine[] {
  const children = all.filter((line) => line.parent === pid);
  return [...children, ...children.flatMap((child) => descendants(child.pid, all))];
}

/** Those of them that still run. A dead process nobody has waited for yet is no process any more. */
function survivors(family: readonly ProcessLine[]): ProcessLine[] {
  const running = new Map(processes().map((line) => [line.pid, line]));
  return family.filter(({ pid, command }) => {
    const line = running.get(pid);
    return line !== undefined && line.command === command && !line.state.startsWith('Z');
  });
}

async function gone(family: readonly ProcessLine[]): Promise<ProcessLine[]> {
  for (let tries = 0; tries < 100 && survivors(family).length > 0; tries += 1) await sleep(50);
  return survivors(family);
}

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
