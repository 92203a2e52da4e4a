import type { SqsMessageAttribute } from '../arrive/record.ts';

/** A follow-up as it lies in the claim's row, until it is sent. */
export interface FollowUpRecord {
  /** Derived from the parent's row key and the place among its follow-ups. */
  readonly key: string;
  readonly queueUrl: string;
  readonly body: string;
  readonly attributes?: Readonly<Record<string, SqsMessageAttribute>>;
  readonly groupId?: string;
  readonly delaySeconds?: number;
}

export function followUpText(record: FollowUpRecord): string {
  return JSON.stringify(record);
}

/** @throws TypeError for a text that is no follow-up */
export function followUpFrom(text: string): FollowUpRecord {
  const value: unknown = JSON.parse(text);
  const { key, queueUrl, body } = (value ?? {}) as Partial<FollowUpRecord>;
  if (typeof key !== 'string' || typeof queueUrl !== 'string' || typeof body !== 'string') {
    throw new TypeError('a follow-up without key, queue or body');
  }
  return value as FollowUpRecord;
}

/** A FIFO queue's name ends so, and its URL with it. */
export function isFifoUrl(queueUrl: string): boolean {
  return queueUrl.endsWith('.fifo');
}
