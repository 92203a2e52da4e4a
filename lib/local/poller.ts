import { setTimeout as sleep } from 'node:timers/promises';
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SqsRecord } from '../arrive/record.ts';
import type { Delivery, Report } from './events.ts';
import { splitByPayload } from './payload.ts';
import { deliveredAgain, toRecord } from './record.ts';

/** Which messages arrive twice: the delay of the second delivery in milliseconds, or nothing for once. */
export type Duplicate = (record: SqsRecord) => number | undefined;

export interface PollerSettings {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly windowMillis: number;
  readonly duplicate: Duplicate;
  readonly report: Report;
}

/** SQS hands out no more at once. */
const receiveLimit = 10;
/** Short, because a poll cannot be called off without losing what it is about to receive. */
const waitSeconds = 1;
const retryMillis = 1_000;

type Batch = readonly Delivery[];

/**
 * Fetches batches for workers that are idle, never more than there are. Polling happens here and not in the
 * worker, as on Lambda: a worker killed inside a long poll would take messages with it.
 */
export class Poller {
  readonly #settings: PollerSettings;
  readonly #ready: Batch[] = [];
  readonly #waiting: ((batch: Batch | undefined) => void)[] = [];
  readonly #secondDeliveries = new Set<NodeJS.Timeout>();
  #polls = 0;
  #stopped = false;

  constructor(settings: PollerSettings) {
    this.#settings = settings;
  }

  /** The next batch for an idle worker; nothing when polling has stopped. */
  take(): Promise<Batch | undefined> {
    const batch = this.#ready.shift();
    if (batch !== undefined || (this.#stopped && this.#polls === 0)) return Promise.resolve(batch);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#poll();
    });
  }

  /** Whether a message is on its way to a worker that SQS would not tell of. */
  get pending(): boolean {
    return this.#ready.length > 0 || this.#secondDeliveries.size > 0;
  }

  /** What polls under way still receive is handed out, what would come a second time is not. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#secondDeliveries) clearTimeout(timer);
    this.#secondDeliveries.clear();
    this.#dismissWaiting();
  }

  #dismissWaiting(): void {
    if (!this.#stopped || this.#polls > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  #poll(): void {
    while (!this.#stopped && this.#polls < this.#waiting.length) {
      this.#polls += 1;
      void this.#fetch().finally(() => {
        this.#polls -= 1;
        this.#dismissWaiting();
        this.#poll();
      });
    }
  }

  async #fetch(): Promise<void> {
    try {
      for (const records of splitByPayload(await this.#collect())) {
        this.#offer(records.map((record) => ({ record, duplicated: false })));
        for (const record of records) this.#deliverAgain(record);
      }
    } catch (error) {
      if (this.#stopped) return;
      this.#settings.report({ type: 'trouble', error: error as Error });
      await sleep(retryMillis);
    }
  }

  #offer(batch: Batch): void {
    const resolve = this.#waiting.shift();
    if (resolve === undefined) this.#ready.push(batch);
    else resolve(batch);
  }

  // Alone in its batch: a standard queue's second copy comes from another server, at another time.
  #deliverAgain(record: SqsRecord): void {
    const delayMillis = this.#stopped ? undefined : this.#settings.duplicate(record);
    if (delayMillis === undefined) return;
    const timer = setTimeout(() => {
      this.#secondDeliveries.delete(timer);
      this.#offer([{ record: deliveredAgain(record), duplicated: true }]);
    }, delayMillis);
    this.#secondDeliveries.add(timer);
  }

  /** One batch: what one receive gives, or with a window what comes until it is full or the time is up. */
  async #collect(): Promise<SqsRecord[]> {
    const { batchSize, windowMillis } = this.#settings;
    const records = await this.#receive(batchSize, waitSeconds);
    const endsAt = performance.now() + windowMillis;
    while (records.length > 0 && records.length < batchSize && !this.#stopped) {
      const leftMillis = endsAt - performance.now();
      if (leftMillis <= 0) break;
      const wholeSeconds = Math.min(waitSeconds, Math.floor(leftMillis / 1_000));
      if (wholeSeconds === 0) await sleep(Math.min(leftMillis, 50));
      records.push(...(await this.#receive(batchSize - records.length, wholeSeconds)));
    }
    return records;
  }

  async #receive(most: number, WaitTimeSeconds: number): Promise<SqsRecord[]> {
    const { sqs, queueUrl, queueArn } = this.#settings;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(most, receiveLimit),
        WaitTimeSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages.map((message) => toRecord(message, queueArn));
  }
}
