import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { SqsRecord } from '../arrive/record.ts';
import { type Countdown, startCountdown } from './countdown.ts';
import { entryFile } from './entry-file.ts';
import type { RemoteError, StepMessage } from './events.ts';
import { endProcess, spawnGuarded } from './guardian.ts';
import type { HandlerFile } from './handler-file.ts';
import { killGroup } from './kill-group.ts';
import type { Invoke, WorkerWord } from './protocol.ts';
import { type FunctionIdentity, identify, workerEnvironment } from './worker-env.ts';

/** What a worker process runs, and how. */
export interface WorkerProgram {
  readonly handler: HandlerFile;
  readonly timeoutMillis: number;
  readonly region: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How one invocation ended. */
export type InvocationEnd =
  | { readonly status: 'answered'; readonly json: string }
  | { readonly status: 'threw'; readonly error: RemoteError }
  | { readonly status: 'timed-out' }
  | { readonly status: 'died' };

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Hears what a worker says besides its answers. */
export interface WorkerListener {
  output(stream: 'stdout' | 'stderr', line: string): void;
  step(step: StepMessage): void;
}

type Silence = { readonly type: 'timed-out' } | { readonly type: 'died' };

/** Time a function has to load, as on Lambda. */
const loadMillis = 10_000;

/**
 * One process with the handler loaded: what Lambda calls a sandbox. It runs one invocation at a time and is
 * killed with SIGKILL when one takes too long.
 */
export class Worker {
  readonly pid: number;
  /** Resolves when the process is gone and everything it said was heard. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #program: WorkerProgram;
  readonly #identity: FunctionIdentity;
  #hear: (word: WorkerWord) => void = () => {};
  #countdown: Countdown | undefined;
  #paused = false;
  #used = false;

  constructor(program: WorkerProgram, listener: WorkerListener) {
    this.#program = program;
    this.#identity = identify(program.handler, program.region, randomBytes(16).toString('hex'));
    const { file, exportName } = program.handler;
    this.#child = spawnGuarded(process.execPath, [entryFile('worker-process'), file, exportName], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: workerEnvironment(this.#identity, program.region, program.env),
    });
    if (this.#child.pid === undefined) throw new Error(`No process could be started for ${file}`);
    this.pid = this.#child.pid;
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
    this.#listen(listener);
  }

  #listen(listener: WorkerListener): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const input = this.#child[stream];
      if (input) createInterface({ input }).on('line', (line) => listener.output(stream, line));
    }
    this.#child.on('message', (message: WorkerWord | StepMessage) => {
      if (message?.type === 'sqs-once') listener.step(message);
      else this.#hear(message);
    });
  }

  /** Resolves when the handler is loaded; rejects when it cannot be. */
  async loaded(): Promise<void> {
    const word = await this.#nextWord(loadMillis);
    if (word.type === 'runner:ready') return;
    const why =
      word.type === 'runner:refused' ? (word.error.stack ?? word.error.message) : `its process ${word.type}`;
    throw new Error(`The handler in ${this.#program.handler.file} does not load: ${why}`);
  }

  async invoke(records: readonly SqsRecord[], requestId: string): Promise<InvocationEnd> {
    this.#used = true;
    const { handler: _notPartOfIt, ...context } = this.#identity;
    const { timeoutMillis } = this.#program;
    const answer = this.#nextWord(timeoutMillis);
    const invoke: Invoke = {
      type: 'runner:invoke',
      event: { Records: [...records] },
      context: { ...context, awsRequestId: requestId },
      deadlineEpochMillis: Date.now() + timeoutMillis,
    };
    // A process that is gone by now is noticed by its end, not here.
    this.#child.send(invoke, () => {});
    const word = await answer;
    if (word.type === 'runner:answered') return { status: 'answered', json: word.json };
    if (word.type === 'runner:threw') return { status: 'threw', error: word.error };
    return { status: word.type === 'timed-out' ? 'timed-out' : 'died' };
  }

  /** What the process says next, or the end of its time or its life. An answer after its time is none. */
  async #nextWord(limitMillis: number): Promise<WorkerWord | Silence> {
    let timedOut = false;
    const countdown = startCountdown(limitMillis, () => {
      timedOut = true;
      killGroup(this.pid, 'SIGKILL');
    });
    this.#countdown = countdown;
    if (this.#paused) countdown.hold();
    const word = new Promise<WorkerWord>((resolve) => {
      this.#hear = (said) => {
        if (!timedOut) resolve(said);
      };
    });
    const end = this.ended.then((): Silence => ({ type: timedOut ? 'timed-out' : 'died' }));
    return Promise.race([word, end]).finally(() => countdown.cancel());
  }

  /** Says something to code inside the process. */
  tell(message: StepMessage): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  kill(signal: NodeJS.Signals): void {
    killGroup(this.pid, signal);
  }

  /** Stops the process where it is. Its timeout waits with it, so that it can outlive its lease. */
  pause(): void {
    this.#paused = true;
    this.#countdown?.hold();
    killGroup(this.pid, 'SIGSTOP');
  }

  resume(): void {
    this.#paused = false;
    killGroup(this.pid, 'SIGCONT');
    this.#countdown?.goOn();
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Whether it was ever asked to run the handler. */
  get used(): boolean {
    return this.#used;
  }

  async stop(): Promise<void> {
    if (this.#paused) this.kill('SIGKILL');
    await endProcess(this.#child);
    await this.ended;
  }
}
