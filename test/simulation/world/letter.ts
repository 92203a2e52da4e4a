import type { SqsMessageAttribute } from '../../../lib/arrive/record.ts';

/** What is sent to a queue. */
export interface Sending {
  readonly body: string;
  readonly attributes: Readonly<Record<string, SqsMessageAttribute>>;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
}

/** A message in a queue. */
export interface Letter extends Sending {
  readonly id: string;
  /** Rises with each message a queue takes. */
  readonly place: number;
  sentAtMillis: number;
  firstReceivedAtMillis: number | undefined;
  receives: number;
  visibleAtMillis: number;
  /** Of the last receive. */
  receipt: string | undefined;
  /** The queue SQS moved it away from. */
  movedFrom: string | undefined;
}
