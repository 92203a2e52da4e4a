import { parentPort, workerData } from 'node:worker_threads';
import { reportOf, search } from './search.ts';

/** Worlds that a thread is asked to run. */
export interface Part {
  readonly seed: number;
  readonly worlds: number;
  readonly path?: string;
}

export interface PartDone {
  /** The shortest history found that breaks a law. */
  readonly report: string | undefined;
}

// What the product has to say of a deployment in which SQS fails is no news here.
console.warn = () => {};

const found = await search(workerData as Part);
const done: PartDone = { report: found === undefined ? undefined : reportOf(found) };
parentPort?.postMessage(done);
