import type { SqsBatchResponse } from './arrive/record.ts';
import { consumeEvent, createConsumer, recordsOf } from './consume-event.ts';
import { isNamed } from './errors.ts';
import type { InvocationContext } from './handle/deadline.ts';
import type { ConsumerOptions, MessageHandler } from './options.ts';
import { consumerSettings } from './settings.ts';
import { beginWholeEvent, type WholeEvent } from './whole-event.ts';
import { failureReason, resultsOf } from './whole-event-answer.ts';
import { type MiddlewareRequest, requireFunction, Withheld } from './withheld.ts';

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
  const withheld = new Withheld<SqsBatchResponse>({
    middleware: 'idempotentConsumer',
    method: 'eachMessage',
    plain: 'consumeOnce',
  });
  const whole = new WeakMap<MiddlewareRequest, WholeEvent>();

  return {
    async before(request) {
      const records = recordsOf(request.event);
      if (withheld.isWanted) {
        return void withheld.take(request, { ...(request.event as object), Records: [] });
      }
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
      withheld.restore(request);
      const event = whole.get(request);
      if (event === undefined) return;
      whole.delete(request);
      // Middy stops waiting before the time is up; the handler itself still runs, so its claims stay.
      if (isNamed(request.error, 'TimeoutError')) event.abandon();
      else await event.fail(() => failureReason(request.error, event.runnable.length));
    },
    eachMessage(handler) {
      requireFunction(handler, 'eachMessage', 'message');
      return withheld.handler((event, context) =>
        consumeEvent(consumer, recordsOf(event), context as InvocationContext, handler),
      );
    },
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
  requireFunction(handler, 'consumeOnce', 'message');
  return async (event, context) =>
    consumeEvent(consumer, recordsOf(event), context as InvocationContext, handler);
}

async function settleByAnswer(event: WholeEvent, response: unknown): Promise<SqsBatchResponse> {
  const answer = resultsOf(response, event.runnable);
  if (answer.status === 'results') return event.finish(answer.results);
  await event.fail(() => answer.error);
  throw answer.error;
}
