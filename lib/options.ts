import type { SQSClient } from '@aws-sdk/client-sqs';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { SqsRecord } from './arrive/record.ts';
import type { Attempt } from './handle/attempt.ts';
import type { Observer } from './observe/events.ts';
import type { Outcome } from './settle/outcome.ts';
import type { ClaimStore } from './store/port.ts';

/** A message as a handler gets it. */
export interface Message<Body = unknown> {
  /** The parsed body. */
  readonly body: Body;
  /** The key the work is claimed under. */
  readonly key: string;
  /** A frozen copy of the record, taken before any user code ran. */
  readonly record: SqsRecord;
  /** `ApproximateReceiveCount`: receives, not attempts; throttled and bounced deliveries count too. */
  readonly receives: number;
  /** When the message was sent. */
  readonly sentAt: Date;
  /** `MessageGroupId`: a FIFO queue's group, or a fair queue's tenant. */
  readonly groupId: string | undefined;
}

/** User code for one message. What it returns is the result that is remembered. */
export type MessageHandler<Body> = (message: Message<Body>, attempt: Attempt) => unknown;

/** What a key or fingerprint is made from. */
export interface Keyed<Body = unknown> {
  readonly body: Body;
  readonly record: SqsRecord;
}

/** How long a failed message waits: `minSeconds` × `factor`^(attempt − 1), at most `maxSeconds`, with jitter in the upper half. */
export interface Backoff {
  /** 0 to 43,200. @default 30 */
  readonly minSeconds?: number;
  /** `minSeconds` to 43,200. @default 900 */
  readonly maxSeconds?: number;
  /** 1 to 10. @default 3 */
  readonly factor?: number;
}

interface CommonOptions<Body> {
  /** Namespace of the keys: one name per consumer. It outlives deployments, so it is never a function's name. */
  readonly scope: string;
  /** Where claims live. @default dynamoClaims(), the table named by `SQS_ONCE_TABLE` */
  readonly claims?: ClaimStore;
  /** Your SQS client, for visibility, parking and follow-ups. @default one made at the first call; that of `memoryClaims()` with those */
  readonly sqs?: Pick<SQSClient, 'send'>;
  /** The queue's URL. @default `SQS_ONCE_QUEUE_URL` where it names the record's queue, else looked up once from the record's ARN */
  readonly queueUrl?: string;
  /** Where poison is parked. @default `SQS_ONCE_DLQ_URL` where the environment names the record's queue, else the queue's own redrive policy, looked up once */
  readonly deadLetterQueueUrl?: string;
  /** Names the message's work: a non-blank string or a safe integer; anything else, and a throw, parks at once with the reason `no-key`. @default the message id, carried through parking and redrive */
  readonly key?: (message: Keyed<Body>) => string | number;
  /** Proves that a reused key carries the same payload; `false` switches the proof off. Its throw is a failed attempt. @default for explicit keys the body's canonical form, for `keyFrom.*` the event inside the envelope, for message ids none */
  readonly fingerprint?: ((message: Keyed<Body>) => unknown) | false;
  /** When the claim is written: before the work, or as completed together with its writes. @default 'first' */
  readonly claim?: 'first' | 'with-commit';
  /** A short lease, renewed by a heartbeat at a third of it. 3 to 43,200. @default the invocation's remaining time and one second; 60 where no deadline is known */
  readonly leaseSeconds?: number;
  /** How long outcomes are remembered, at least 1. @default the longest path SQS allows with one redrive: 29 days, FIFO 57 */
  readonly retentionSeconds?: number;
  /** Attempts before a message is parked, 1 to 1,000. @default 5 */
  readonly maxAttempts?: number;
  /** How failed messages wait; `false` leaves the queue's visibility timeout. @default 30 s × 3, up to 15 minutes */
  readonly backoff?: Backoff | false;
  /** Messages of one event that run at the same time, 1 to 1,000. @default 50, the SDK's sockets */
  readonly concurrency?: number;
  /** A FIFO group whose head is poison goes on once it is parked, or is held until `claims release`. @default 'continue' */
  readonly fifoPoison?: 'continue' | 'hold';
  /** Called with the recorded outcome when a duplicate is answered; awaited, and its throw returns the message. */
  readonly onDuplicate?: (message: Message<Body>, outcome: Outcome) => unknown;
  /** What to do with a message whose previous attempt's end is unknown. Payments without provider keys want `park`. @default 'run' */
  readonly abandoned?: 'run' | 'park';
  /** Whether the event source mapping reads partial responses. `false`: everything is settled, then the invocation throws if anything failed. @default true, with one warning per cold start when neither this nor `SQS_ONCE_PARTIAL_RESPONSES` says so */
  readonly partialResponses?: boolean;
  /** Told every event. @default none */
  readonly observers?: readonly Observer[];
}

/** How the body is read: a Standard Schema (zod, valibot, arktype, …), a parse function, both, or JSON. */
export type BodyOptions<Body> =
  | {
      /** Validates the parsed body. @default no validation */
      // biome-ignore lint/suspicious/noExplicitAny: a schema's input type plays no part here
      readonly schema: StandardSchemaV1<any, Body>;
      /** Reads the text. @default JSON */
      readonly parse?: (text: string) => unknown;
    }
  | { readonly schema?: undefined; readonly parse: (text: string) => Body | Promise<Body> }
  | { readonly schema?: undefined; readonly parse?: undefined };

/** Options of {@link idempotentConsumer} and {@link consumeOnce}. */
export type ConsumerOptions<Body = unknown> = CommonOptions<Body> & BodyOptions<Body>;
