import type { Command } from 'commander';
import { vi } from 'vitest';

export interface Answer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command in this process: it starts at once, but only one may run at a time. */
export async function runCommand(command: Command, args: readonly string[]): Promise<Answer> {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text) => void out.push(String(text))),
    vi.spyOn(console, 'error').mockImplementation((text) => void err.push(String(text))),
  ];
  for (const each of [command, ...command.commands]) {
    each.exitOverride().configureOutput({ writeErr: (text) => void err.push(text) });
  }
  let code: number | null = null;
  try {
    await command.parseAsync(args, { from: 'user' });
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    err.push((error as Error).message);
    code = 1;
  } finally {
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
  return { code, out: out.join('\n'), err: err.join('\n') };
}
