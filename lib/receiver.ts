import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventKind, requestFromEvent } from './arrive/http-event.ts';
import { requestFromNode } from './arrive/http-node.ts';
import { eachRequest, type RunRequest } from './each-request.ts';
import { toError } from './errors.ts';
import { answerOf, eventAnswer, incomingFrom } from './lambda-request.ts';
import type { HttpReceiverOptions, ReceiverOptions, RequestHandler } from './receiver-options.ts';
import { httpReceiverSettings, type ReceiverSettings, receiverSettings } from './receiver-settings.ts';
import type { LambdaResponse } from './settle/http-event-response.ts';
import { failResponse, sendResponse } from './settle/http-node-response.ts';
import { problem } from './settle/http-problem.ts';
import { WholeRequests } from './whole-requests.ts';
import { type MiddlewareRequest, requireFunction, Withheld } from './withheld.ts';

/** A Lambda handler of an HTTP endpoint. Its answer has the shape that what brought the request reads. */
export type LambdaReceiver = (event: unknown, context?: unknown) => Promise<LambdaResponse>;

/** A Middy middleware with a base handler of its own. */
export interface ReceiverMiddleware<Body> {
  before(request: MiddlewareRequest): Promise<unknown>;
  after(request: MiddlewareRequest): Promise<void>;
  onError(request: MiddlewareRequest): Promise<void>;
  /**
   * The recommended form: a base handler that runs `handler` for the request under an attempt. Called once, at
   * module load; from then on the middleware keeps the event for it.
   *
   * @throws ConfigurationError before any user code, when it runs without its middleware
   */
  eachRequest(handler: RequestHandler<Body>): LambdaReceiver;
}

/**
 * A Middy middleware that makes an HTTP endpoint idempotent: a retry with the same key gets the answer the
 * first request got. For API Gateway (REST and HTTP APIs), function URLs and load balancers. `use` it last,
 * behind what checks signatures, so that a forger neither learns nor uses up keys. Under a handler that is not
 * its own it guards that handler's whole response.
 *
 * @throws ConfigurationError at cold start, for options that are unknown or impossible
 * @example
 * ```ts
 * const orders = idempotentReceiver({ scope: 'create-order', caller: ({ request }) => tenantOf(request), schema: Order });
 *
 * export const handler = middy().use(orders).handler(
 *   orders.eachRequest(async ({ body: order }, attempt) => {
 *     attempt.transaction.put({ TableName: 'orders', Item: order });
 *     return { statusCode: 201, headers: { location: `/orders/${order.orderId}` } };
 *   }),
 * );
 * ```
 */
export function idempotentReceiver<Body = unknown>(options: ReceiverOptions<Body>): ReceiverMiddleware<Body> {
  const settings = receiverSettings(options, 'idempotentReceiver');
  const withheld = new Withheld<LambdaResponse>({
    middleware: 'idempotentReceiver',
    method: 'eachRequest',
    plain: 'receiveOnce',
  });
  const whole = new WholeRequests(settings);

  return {
    async before(request) {
      if (!withheld.isWanted) return whole.before(request);
      // Refused here, where nothing is withheld yet.
      withheld.refuseSecondUse(request);
      requestFromEvent(request.event);
      withheld.take(request, {});
      return undefined;
    },
    async after(request) {
      return withheld.isWanted ? withheld.giveBack(request) : whole.after(request);
    },
    async onError(request) {
      return withheld.isWanted ? withheld.restore(request) : whole.onError(request);
    },
    eachRequest(handler) {
      requireFunction(handler, 'eachRequest', 'request');
      return withheld.handler((event, context) => answerEvent(settings, event, context, handler));
    },
  };
}

/**
 * The same without Middy: a plain Lambda handler.
 *
 * @throws ConfigurationError at cold start, for options that are unknown or impossible
 * @example
 * ```ts
 * export const handler = receiveOnce({ scope: 'carrier-webhook', caller: 'public', key: ({ body }) => body.eventId, schema: CarrierEvent },
 *   async ({ body: event }, attempt) => {
 *     attempt.followUps.send({ queueUrl: carrierEvents, body: event });
 *     return { statusCode: 202 };
 *   },
 * );
 * ```
 */
export function receiveOnce<Body = unknown>(
  options: ReceiverOptions<Body>,
  handler: RequestHandler<Body>,
): LambdaReceiver {
  const settings = receiverSettings(options, 'receiveOnce');
  requireFunction(handler, 'receiveOnce', 'request');
  return (event, context) => answerEvent(settings, event, context, handler);
}

/**
 * The same for a server of `node:http`, or a framework that takes its listeners. A request's lease is renewed
 * while its handler runs. What the handler throws is written to the console, and the sender gets 500.
 *
 * @throws ConfigurationError at once, for options that are unknown or impossible
 * @example
 * ```ts
 * createServer(receiveHttp({ scope: 'orders', caller: 'public' }, async ({ body }, attempt) => {
 *   attempt.followUps.send({ queueUrl: orders, body });
 *   return { statusCode: 202 };
 * })).listen(8080);
 * ```
 */
export function receiveHttp<Body = unknown>(
  options: HttpReceiverOptions<Body>,
  handler: RequestHandler<Body>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const settings = httpReceiverSettings(options);
  requireFunction(handler, 'receiveHttp', 'request');
  return async (original, response) => {
    try {
      const read = await requestFromNode(original, settings.maxBodyBytes);
      if (read.status === 'gone') return;
      if (read.status === 'too-large') return refuseLargeBody(response);
      const incoming = { request: read.request, requestId: undefined, context: undefined };
      sendResponse(answerOf(await eachRequest(settings, incoming, handler as RunRequest)), response);
    } catch (error) {
      console.error(toError(error));
      failResponse(response);
    }
  };
}

/** What is left of the body is not read, so the connection is of no further use. */
function refuseLargeBody(response: ServerResponse): void {
  response.setHeader('connection', 'close');
  sendResponse(problem('body-too-large'), response);
}

async function answerEvent<Body>(
  settings: ReceiverSettings<Body>,
  event: unknown,
  context: unknown,
  handler: RequestHandler<Body>,
): Promise<LambdaResponse> {
  const incoming = incomingFrom(event, context);
  return eventAnswer(eventKind(event), await eachRequest(settings, incoming, handler as RunRequest));
}
