import type { SqsBatchResponse, SqsRecord } from '../../../lib/arrive/record.ts';
import type { InvocationContext } from '../../../lib/handle/deadline.ts';
import type { ConsumerOptions } from '../../../lib/options.ts';
import type { Outcome } from '../../../lib/settle/outcome.ts';
import type { PaymentEvent } from '../../support/payment-events.ts';
import { batchesOf } from './batches.ts';
import { type Deployed, eachMessage, wholeEvent } from './forms.ts';
import { Mapping } from './mapping.ts';
import { Process } from './process.ts';
import type { Queue } from './queue.ts';
import type { Script } from './script.ts';
import { sqsOf } from './sqs.ts';
import { claimTable } from './tables.ts';
import type { World } from './world.ts';

/** Longer than any lease, shorter than most worlds. */
export const shortRetentionSeconds = 240;

/** What a message of the world says. */
export interface Body {
  readonly work: string;
  readonly payload: string;
  /** The state of the payment it leads to. */
  readonly event?: PaymentEvent;
}

export interface ServiceOptions {
  readonly scope: string;
  readonly queue: Queue;
  readonly workers: number;
  readonly key?: (body: Body) => string;
  /** User code, for each process its own. */
  readonly scriptIn: (process: Process) => Script;
}

/** A consumer as it is deployed: a queue, worker processes, and the engine in each of them. */
export class Service {
  readonly scope: string;
  readonly queue: Queue;
  readonly mapping: Mapping;
  readonly #world: World;
  readonly #options: ServiceOptions;
  readonly #deployed = new Map<Process, Deployed>();
  #incarnations = 0;

  constructor(world: World, options: ServiceOptions) {
    this.#world = world;
    this.#options = options;
    this.scope = options.scope;
    this.queue = options.queue;
    this.mapping = new Mapping(world, this, options.queue, options.workers);
  }

  get key(): ServiceOptions['key'] {
    return this.#options.key;
  }

  get processes(): readonly Process[] {
    return [...this.#deployed.keys()];
  }

  /** A process starts, as after a crash. */
  spawn(): Process {
    this.#incarnations += 1;
    const process = new Process(this.#world, `${this.scope}-${this.#incarnations}`);
    const { engine } = this.#world;
    const consumer = engine.createConsumer(
      engine.consumerSettings(this.#consumerOptions(process), {}),
      engine.createGate(),
    );
    const form = this.#world.plan.form === 'whole event' ? wholeEvent : eachMessage;
    this.#deployed.set(process, form(this.#world, process, consumer, this.#options.scriptIn(process)));
    return process;
  }

  consume(
    process: Process,
    records: readonly SqsRecord[],
    context: InvocationContext | undefined,
  ): Promise<SqsBatchResponse> {
    const deployed = this.#deployed.get(process);
    if (deployed === undefined) throw new Error(`${process.name} is no process of ${this.scope}`);
    return deployed(records, context);
  }

  #consumerOptions(process: Process): ConsumerOptions<Body> {
    const { plan, engine, tables, clerk } = this.#world;
    const { key } = this.#options;
    return {
      scope: this.scope,
      claims: plan.batching
        ? engine.batchedClaims(
            tables.of(process),
            batchesOf(this.#world, process),
            claimTable,
            process.ambient,
          )
        : engine.claimStore(tables.of(process), claimTable, process.ambient),
      sqs: sqsOf(this.#world, process),
      claim: plan.claim,
      ...(plan.lease === 'short' ? { leaseSeconds: 3 } : {}),
      ...(plan.shortRetention ? { retentionSeconds: shortRetentionSeconds } : {}),
      maxAttempts: plan.maxAttempts,
      backoff: { minSeconds: 2, maxSeconds: 60, factor: 3 },
      abandoned: plan.abandoned,
      fifoPoison: plan.fifoPoison,
      partialResponses: plan.partialResponses,
      ...(key !== undefined ? { key: ({ body }) => key(body) } : {}),
      parse: (text) => JSON.parse(text) as Body,
      onDuplicate: (message, outcome: Outcome) => {
        if (process.isAlive) clerk.duplicateAnswered(process, this.scope, message.key, outcome);
      },
      observers: [(event) => (process.isAlive ? clerk.told(process, event) : undefined)],
    };
  }
}
