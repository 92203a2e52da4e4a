import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running process, as `ps` tells of it. */
export interface ProcessLine {
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

/** Everything a process started, and what that started. */
export function descendants(pid: number, all = processes()): ProcessLine[] {
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

/** Waits for them to end; answers those that did not. */
export async function gone(family: readonly ProcessLine[]): Promise<ProcessLine[]> {
  for (let tries = 0; tries < 100 && survivors(family).length > 0; tries += 1) await sleep(50);
  return survivors(family);
}
