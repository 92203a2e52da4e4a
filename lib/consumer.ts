import type { SqsBatchResponse } from './arrive/record.ts';
import { type Consumer, consumeEvent, createConsumer, recordsOf } from './consume-event.ts';
import type { InvocationContext } from './handle/deadline.ts';
import type { ConsumerOptions, MessageHandler } from './options.ts';
import { consumerSettings } from './settings.ts';
import { WholeEvents } from './whole-events.ts';
import { type MiddlewareRequest, requireFunction } from './withheld.ts';
import { WithheldEvents } from './withheld-events.ts';

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
  const each = new WithheldEvents(consumer);
  const whole = new WholeEvents(consumer as Consumer<unknown>);

  return {
    before: async (request) => (each.areWanted ? each.before(request) : whole.before(request)),
    after: async (request) => (each.areWanted ? each.after(request) : whole.after(request)),
    onError: async (request) => (each.areWanted ? each.onError(request) : whole.onError(request)),
    eachMessage(handler) {
      requireFunction(handler, 'eachMessage', 'message');
      return each.eachMessage(handler);
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
  const consumer = createConsumer(consumerSettings(options, process.env, 'consumeOnce'));
  requireFunction(handler, 'consumeOnce', 'message');
  return async (event, context) =>
    consumeEvent(consumer, recordsOf(event), context as InvocationContext, handler);
}
