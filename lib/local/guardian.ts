import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { entryFile } from './entry-file.ts';
import { killGroup } from './kill-group.ts';

/** How long a process may take to end by itself before it is killed. */
const graceMillis = 2_000;

/**
 * A small process that kills our children when we are gone, whatever ended us. Children cannot be trusted
 * with that: one may be stopped, or busy in a loop, and a binary of others knows nothing of us.
 */
let lifeline: Writable | undefined;

function openLifeline(): Writable {
  const guardian = spawn(process.execPath, [entryFile('guardian-process')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: withoutNodeOptions(),
    detached: true,
  });
  guardian.unref();
  // Without the guardian we go on; only the last line of defence is missing then.
  guardian.on('error', () => {});
  guardian.stdin.on('error', () => {});
  unref(guardian.stdin);
  return guardian.stdin;
}

/** Our own environment without the flags meant for us alone, such as a test runner's loaders. */
export function withoutNodeOptions(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  return env;
}

/**
 * Starts a child that never outlives us. It leads a process group of its own, so Ctrl-C reaches us alone
 * and the order of the ending is ours, and its own children end with it.
 */
export function spawnGuarded(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  lifeline ??= openLifeline();
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    lifeline.write(`+${pid}\n`);
    child.once('exit', () => {
      killGroup(pid, 'SIGKILL');
      lifeline?.write(`-${pid}\n`);
    });
  }
  return child;
}

/** Lets our process end although the child still runs: the guardian sees to the child. */
export function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream) unref(stream);
}

/** Ends a child and its group; resolves when it has ended. */
export function endProcess(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const impatience = setTimeout(killGroup, graceMillis, pid, 'SIGKILL');
    child.ref();
    child.once('exit', () => {
      clearTimeout(impatience);
      resolve();
    });
    killGroup(pid, 'SIGTERM');
  });
}

// A child's streams are sockets, which hold the event loop open; the types only promise streams.
function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
