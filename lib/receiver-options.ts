import type { SQSClient } from '@aws-sdk/client-sqs';
import type { HttpRequest, ReceivedRequest } from './arrive/http-request.ts';
import type { Attempt } from './handle/attempt.ts';
import type { Observer } from './observe/events.ts';
import type { BodyOptions } from './options.ts';
import type { HttpResponse } from './settle/http-response.ts';
import type { ClaimStore } from './store/port.ts';

/** What a request's key is made from. */
export interface KeyedRequest<Body = unknown> {
  readonly body: Body;
  readonly request: HttpRequest;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing answers 204
type Answer = HttpResponse | undefined | void;

/**
 * User code for one request. What it answers is what a retry gets again. Nothing at all is 204.
 *
 * An attempt of a request that is not guarded (its method is not one of `methods`, or it has no key and needs
 * none) has a signal and nothing else: its `transaction`, `followUps` and `effectKey` throw.
 */
export type RequestHandler<Body = unknown> = (
  request: ReceivedRequest<Body>,
  attempt: Attempt,
) => Answer | Promise<Answer>;

interface CommonReceiverOptions<Body> {
  /** Names the endpoint: a namespace of keys, one per endpoint. It outlives deployments. */
  readonly scope: string;
  /**
   * Who asks: a tenant, an account, a provider. One caller never meets another's keys or answers. `'public'`
   * says on purpose that there is only one. A caller that is not known (undefined or blank) gets 403 and
   * nothing is claimed, so this is also a place to check a signature; what it throws is thrown on.
   */
  readonly caller:
    | 'public'
    | ((asked: { readonly request: HttpRequest }) => string | undefined | Promise<string | undefined>);
  /** Where claims live. @default dynamoClaims(), the table named by `SQS_ONCE_TABLE` */
  readonly claims?: ClaimStore;
  /** Your SQS client, for follow-ups. @default one made at the first call; that of `memoryClaims()` with those */
  readonly sqs?: Pick<SQSClient, 'send'>;
  /** Names the request's work where the sender has an id of its own for it: a non-blank string or a safe integer. @default the header `Idempotency-Key` */
  readonly key?: (asked: KeyedRequest<Body>) => string | number | undefined;
  /** Whether a request without a key is refused with 400. `false`: it runs unguarded. @default true */
  readonly requireKey?: boolean;
  /** JSON pointers (RFC 6901) to what a sender changes with every retry, such as `/attempt`; they do not count when requests are compared, and the rest of the JSON counts by what it says. @default [], the body's bytes count */
  readonly volatile?: readonly string[];
  /** The methods that are guarded. @default ['POST', 'PATCH'] */
  readonly methods?: readonly string[];
  /** Whether an answer with this status is recorded and replayed; otherwise its attempt counts as failed: what it collected is discarded and a retry runs again. @default 2xx, 3xx and 4xx are, but not 401, 403, 408, 425 and 429 */
  readonly record?: (status: number) => boolean;
  /** A short lease, renewed by a heartbeat at a third of it. 3 to 43,200. @default the invocation's remaining time and one second; 60 where no deadline is known */
  readonly leaseSeconds?: number;
  /** How long answers are replayed, at least 1. Your sender's retry schedule may outlast the default. @default 86,400, one day */
  readonly retentionSeconds?: number;
  /** Told every event. @default none */
  readonly observers?: readonly Observer[];
}

/** Options of {@link idempotentReceiver} and {@link receiveOnce}. */
export type ReceiverOptions<Body = unknown> = CommonReceiverOptions<Body> & BodyOptions<Body>;

/** Options of {@link receiveHttp}. */
export type HttpReceiverOptions<Body = unknown> = ReceiverOptions<Body> & {
  /** The largest body that is read, in bytes, 0 to 1,073,741,824; a larger one is refused with 413. @default 1,048,576 */
  readonly maxBodyBytes?: number;
};
