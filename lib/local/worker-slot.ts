import { setTimeout as sleep } from 'node:timers/promises';
import type { SqsRecord } from '../arrive/record.ts';
import type { Report, StepMessage } from './events.ts';
import { type InvocationEnd, Worker, type WorkerProgram } from './worker.ts';

/** How long a place stays empty when its process cannot load the handler, or ended before it was used. */
const retryMillis = 1_000;

/** A place for one worker. When its process ends, however, a fresh one takes the place. */
export class WorkerSlot {
  readonly number: number;
  readonly #program: WorkerProgram;
  readonly #report: Report;
  #worker: Worker | undefined;
  #loaded: Promise<Worker>;
  #retired = false;

  constructor(number: number, program: WorkerProgram, report: Report) {
    this.number = number;
    this.#program = program;
    this.#report = report;
    this.#loaded = this.#launch();
  }

  /** Resolves when the handler is loaded; rejects when it cannot be. */
  async loaded(): Promise<void> {
    await this.#loaded;
  }

  async #launch(): Promise<Worker> {
    const { number } = this;
    const worker = new Worker(this.#program, {
      output: (stream, line) => this.#report({ type: 'output', worker: number, stream, line }),
      step: (step) => this.#report({ type: 'step', worker: number, step }),
    });
    this.#worker = worker;
    const ended = worker.ended.then((end) => {
      this.#worker = undefined;
      this.#report({ type: 'worker-ended', worker: number, pid: worker.pid, ...end });
    });
    await worker.loaded();
    this.#report({ type: 'worker-ready', worker: number, pid: worker.pid });
    ended.then(() => {
      this.#loaded = this.#replace(worker);
      this.#loaded.catch(() => {});
    });
    return worker;
  }

  async #replace(predecessor: Worker): Promise<Worker> {
    if (!predecessor.used) await sleep(retryMillis);
    while (!this.#retired) {
      try {
        return await this.#launch();
      } catch (error) {
        this.#report({ type: 'worker-broken', worker: this.number, error: error as Error });
        await sleep(retryMillis);
      }
    }
    throw new Error(`Worker ${this.number} is retired`);
  }

  /** Runs the handler once, in the process that has the place by then. */
  async invoke(records: readonly SqsRecord[], requestId: string): Promise<InvocationEnd> {
    try {
      const worker = await this.#loaded;
      return await worker.invoke(records, requestId);
    } catch {
      // Retired while no process could be had.
      return { status: 'died' };
    }
  }

  tell(message: StepMessage): void {
    this.#worker?.tell(message);
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker?.kill(signal);
    this.#report({ type: 'signalled', worker: this.number, signal });
  }

  pause(): void {
    this.#worker?.pause();
    this.#report({ type: 'signalled', worker: this.number, signal: 'SIGSTOP' });
  }

  resume(): void {
    this.#worker?.resume();
    this.#report({ type: 'signalled', worker: this.number, signal: 'SIGCONT' });
  }

  /** No process follows the present one; a paused one would never end and is killed. */
  retire(): void {
    this.#retired = true;
    if (this.#worker?.paused) this.#worker.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.retire();
    await this.#worker?.stop();
  }
}
