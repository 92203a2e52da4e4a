import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const child = fileURLToPath(new URL('processes/one-event.ts', import.meta.url));

/** What one event took. */
export interface OneEvent {
  readonly millis: number;
  readonly cpuMillis: number;
  /** Peak memory over the start's. */
  readonly grownMegabytes: number;
}

const flagsOf = {
  'as it comes': [],
  'young generation of 4 MB': ['--max-semi-space-size=4'],
  'old generation of 128 MB': ['--max-old-space-size=128'],
} as const;

/** How much room the process has. */
export type Heap = keyof typeof flagsOf;

/** Handles one event in a fresh process; nothing when that ran out of memory. */
export async function takeOneEvent({
  side,
  records,
  endpoint,
  heap = 'as it comes',
}: {
  readonly side: string;
  readonly records: number;
  readonly endpoint: string;
  readonly heap?: Heap;
}): Promise<OneEvent | undefined> {
  const args = [child, '--side', side, '--records', String(records), '--endpoint', endpoint];
  try {
    const { stdout } = await run(process.execPath, [...flagsOf[heap], ...args]);
    return JSON.parse(stdout) as OneEvent;
  } catch (error) {
    if (String(Reflect.get(Object(error), 'stderr')).includes('heap out of memory')) return undefined;
    throw error;
  }
}

/** A sentence about it. */
export function toldOf(side: string, heap: Heap, one: OneEvent | undefined): string {
  const where = heap === 'as it comes' ? side : `${side}, ${heap} (${flagsOf[heap].join(' ')})`;
  if (one === undefined) return `${where}: out of memory`;
  return `${where}: ${Math.round(one.millis).toLocaleString('en')} ms, +${Math.round(one.grownMegabytes)} MB`;
}
