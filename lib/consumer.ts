import type { SqsBatchResponse } from './arrive/record.ts';
import { type Consumer, consumeEvent, createConsumer, recordsOf } from './consume-event.ts';
import { ConfigurationError, isNamed } from './errors.ts';
import type { InvocationContext } from './handle/deadline.ts';
import type { ConsumerOptions, MessageHandler } from './options.ts';
import { consumerSettings } from './settings.ts';
import { beginWholeEvent, type WholeEvent } from './whole-event.ts';
import { failureReason, resultsOf } from './whole-event-answer.ts';

/** What a middleware is given and may change; Middy 6 and 7 both fit. */
export interface MiddlewareRequest {
  event: unknown;
  context: unknown;
  response: unknown;
  error: unknown;
}

/** A Lambda handler: what Lambda calls. */
export type LambdaHandler = (event: unknown, context?: unknown) => Promise<SqsBatchResponse>;

/** A Middy middleware with a base handler of its own. */
export interface ConsumerMiddleware<Body> {
  before(request: MiddlewareRequest): Promise<SqsBatchResponse | undefined>;
  after(request: MiddlewareRequest): Promise<void>;
  onError(request: MiddlewareRequest): Promise<void>;
  /**
   * The recommended form: a base handler that runs `handler` for each message, claiming each just before it
   * starts. Called once, at module load; from then on the middleware keeps the records for it.
   *
   * @throws ConfigurationError before any user code, when it runs without its middleware
   */
  eachMessage(handler: MessageHandler<Body>): LambdaHandler;
}

/**
 * A Middy middleware that makes a consumer of an SQS queue idempotent, typed by the body. `use` it last, so
 * that nothing stands between it and the handler. Under a handler that takes the event whole it claims all
 * records before and settles them after it.
 *
 * @throws ConfigurationError at cold start, for options that are unknown or impossible
 * @example
 * ```ts
 * const payments = idempotentConsumer({ scope: 'capture-payment', schema: CapturePayment, key: ({ body }) => body.orderId });
 *
 * export const handler = middy().use(payments).handler(
 *   payments.eachMessage(async ({ body: order }, attempt) => {
 *     await gateway.capture(order, { idempotencyKey: attempt.effectKey('capture') });
 *   }),
 * );
 * ```
 */
export function idempotentConsumer<Body = unknown>(options: ConsumerOptions<Body>): ConsumerMiddleware<Body> {
  const consumer = createConsumer(consumerSettings(options));
  const withheld = new Withheld<Body>(consumer);
  const whole = new WeakMap<MiddlewareRequest, WholeEvent>();

  return {
    async before(request) {
      if (withheld.isWanted) return void withheld.take(request);
      const records = recordsOf(request.event);
      const event = await beginWholeEvent(consumer, records, request.context as InvocationContext);
      if (event.runnable.length === 0) return event.finish([]);
      whole.set(request, event);
      request.event = { ...(request.event as object), Records: event.runnable };
      return undefined;
    },
    async after(request) {
      if (withheld.isWanted) return withheld.giveBack(request);
      const event = whole.get(request);
      if (event === undefined) return;
      whole.delete(request);
      request.response = await settleByAnswer(event, request.response);
    },
    async onError(request) {
      const event = whole.get(request);
      if (event === undefined) return;
      whole.delete(request);
      // Middy stops waiting before the time is up; the handler itself still runs, so its claims stay.
      if (isNamed(request.error, 'TimeoutError')) event.abandon();
      else await event.fail(() => failureReason(request.error, event.runnable.length));
    },
    eachMessage: (handler) => withheld.eachMessage(handler),
  };
}

/**
 * The same without Middy: a plain Lambda handler that runs `handler` for each message.
 *
 * @throws ConfigurationError at cold start, for options that are unknown or impossible
 * @example
 * ```ts
 * export const handler = consumeOnce({ scope: 'send-welcome-mail' }, async ({ body }, attempt) => {
 *   await mailer.send(body, { idempotencyKey: attempt.effectKey('mail') });
 * });
 * ```
 */
export function consumeOnce<Body = unknown>(
  options: ConsumerOptions<Body>,
  handler: MessageHandler<Body>,
): LambdaHandler {
  const consumer = createConsumer(consumerSettings(options));
  requireFunction(handler, 'consumeOnce');
  return async (event, context) =>
    consumeEvent(consumer, recordsOf(event), context as InvocationContext, handler);
}

async function settleByAnswer(event: WholeEvent, response: unknown): Promise<SqsBatchResponse> {
  const answer = resultsOf(response, event.runnable);
  if (answer.status === 'results') return event.finish(answer.results);
  await event.fail(() => answer.error);
  throw answer.error;
}

/** Where a request's records wait between the middleware and its own `eachMessage`. */
interface Waiting {
  readonly event: object;
  taken: boolean;
  response: SqsBatchResponse | undefined;
}

const waitingKey = Symbol('sqs-once: records that wait for eachMessage');

/**
 * Records kept back for `eachMessage`: whoever else runs under this middleware finds none, so no user code
 * can run unprotected beside it.
 */
class Withheld<Body> {
  isWanted = false;
  private readonly consumer: Consumer<Body>;
  private readonly byRequest = new WeakMap<MiddlewareRequest, Waiting>();
  private readonly byContext = new WeakMap<object, Waiting>();

  constructor(consumer: Consumer<Body>) {
    this.consumer = consumer;
  }

  take(request: MiddlewareRequest): void {
    recordsOf(request.event);
    const waiting: Waiting = { event: request.event as object, taken: false, response: undefined };
    this.byRequest.set(request, waiting);
    // A middleware between the two may copy the event; the symbol survives a spread, the context everything.
    if (typeof request.context === 'object' && request.context !== null) {
      this.byContext.set(request.context, waiting);
    }
    request.event = { ...waiting.event, Records: [], [waitingKey]: { owner: this, waiting } };
  }

  eachMessage(handler: MessageHandler<Body>): LambdaHandler {
    requireFunction(handler, 'eachMessage');
    this.isWanted = true;
    return async (event, context) => {
      const waiting = this.find(event, context);
      if (waiting === undefined || waiting.taken) {
        throw new ConfigurationError(
          'eachMessage ran without its middleware; use the same idempotentConsumer in middy().use(…).handler(….eachMessage(…)), or consumeOnce without Middy',
        );
      }
      waiting.taken = true;
      const records = recordsOf(waiting.event);
      waiting.response = await consumeEvent(this.consumer, records, context as InvocationContext, handler);
      return waiting.response;
    };
  }

  giveBack(request: MiddlewareRequest): void {
    const waiting = this.byRequest.get(request);
    if (waiting === undefined) return;
    this.byRequest.delete(request);
    request.event = waiting.event;
    if (!waiting.taken) {
      throw new ConfigurationError(
        'eachMessage was called on this middleware, and another handler ran under it; give .handler() what eachMessage returned',
      );
    }
    // What was acknowledged and what was not is known here and nowhere else.
    request.response = waiting.response;
  }

  private find(event: unknown, context: unknown): Waiting | undefined {
    const marked = typeof event === 'object' && event !== null ? Reflect.get(event, waitingKey) : undefined;
    if (marked?.owner === this) return marked.waiting;
    return typeof context === 'object' && context !== null ? this.byContext.get(context) : undefined;
  }
}

function requireFunction(handler: unknown, of: string): void {
  if (typeof handler !== 'function') {
    throw new ConfigurationError(
      `${of} was given ${typeof handler} as its handler; give a function (message, attempt) => result`,
    );
  }
}
