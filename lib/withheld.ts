import { ConfigurationError } from './errors.ts';

/** What a middleware is given and may change; Middy 6 and 7 both fit. */
export interface MiddlewareRequest {
  event: unknown;
  context: unknown;
  response: unknown;
  error: unknown;
}

/** Where a request's event waits between the middleware and its own base handler. */
interface Waiting<Response> {
  readonly event: object;
  /** What our own handler makes of it, once it has taken the event. */
  answer: Promise<Response> | undefined;
}

/** The public names, for what is told when the two are not used together. */
export interface WithheldNames {
  readonly middleware: string;
  readonly method: string;
  readonly plain: string;
}

const waitingKey = Symbol('sqs-once: an event that waits for the handler of its middleware');

/**
 * Events kept back for the base handler that belongs to a middleware: whoever else runs under it finds
 * nothing to work on, so no user code can run unprotected beside it.
 */
export class Withheld<Response> {
  isWanted = false;
  private readonly names: WithheldNames;
  private readonly byRequest = new WeakMap<MiddlewareRequest, Waiting<Response>>();
  private readonly byContext = new WeakMap<object, Waiting<Response>>();

  constructor(names: WithheldNames) {
    this.names = names;
  }

  /** Used a second time it would keep back what it had emptied itself, and acknowledge the event it had taken. */
  refuseSecondUse(request: MiddlewareRequest): void {
    if (!this.byRequest.has(request)) return;
    throw new ConfigurationError(`this ${this.names.middleware} is used twice for one handler; use it once`);
  }

  /** Keeps the event back; `emptied` is what everybody else sees of it. */
  take(request: MiddlewareRequest, emptied: object): void {
    const waiting: Waiting<Response> = {
      event: request.event as object,
      answer: undefined,
    };
    this.byRequest.set(request, waiting);
    // A middleware between the two may copy the event; the symbol survives a spread, the context everything.
    if (typeof request.context === 'object' && request.context !== null) {
      this.byContext.set(request.context, waiting);
    }
    request.event = { ...emptied, [waitingKey]: { owner: this, waiting } };
  }

  /** The base handler: `answer` gets the event that was kept back. */
  handler(answer: (event: object, context: unknown) => Promise<Response>) {
    this.isWanted = true;
    return async (event: unknown, context?: unknown): Promise<Response> => {
      const waiting = this.find(event, context);
      if (waiting === undefined || waiting.answer !== undefined) {
        const { middleware, method, plain } = this.names;
        throw new ConfigurationError(
          `${method} ran without its middleware; use the same ${middleware} in middy().use(…).handler(….${method}(…)), or ${plain} without Middy`,
        );
      }
      waiting.answer = answer(waiting.event, context);
      return waiting.answer;
    };
  }

  /** What our own handler answered, whatever a wrapper around it made of that. */
  async answer(request: MiddlewareRequest): Promise<Response> {
    const answer = this.byRequest.get(request)?.answer;
    if (answer !== undefined) return answer;
    const { method } = this.names;
    throw new ConfigurationError(
      `${method} was called on this middleware, and something else answered in its place; give .handler() what ${method} returned, and use the middleware last`,
    );
  }

  /** After the handler: the event as it came, and the answer that only our own handler knows. */
  async giveBack(request: MiddlewareRequest): Promise<void> {
    this.restore(request);
    // Middy 7 hands on what is no promise of its own realm, and a thenable may begin only when it is asked.
    await request.response;
    if (this.byRequest.has(request)) request.response = await this.answer(request);
  }

  /** After a failure: the event as it came. */
  restore(request: MiddlewareRequest): void {
    const waiting = this.byRequest.get(request);
    if (waiting !== undefined) request.event = waiting.event;
  }

  private find(event: unknown, context: unknown): Waiting<Response> | undefined {
    const marked = typeof event === 'object' && event !== null ? Reflect.get(event, waitingKey) : undefined;
    if (marked?.owner === this) return marked.waiting;
    return typeof context === 'object' && context !== null ? this.byContext.get(context) : undefined;
  }
}

/** Refuses a handler that is none when the module loads, not when the first event comes. */
export function requireFunction(handler: unknown, of: string, what: string): void {
  if (typeof handler !== 'function') {
    throw new ConfigurationError(
      `${of} was given ${typeof handler} as its handler; give a function (${what}, attempt) => result`,
    );
  }
}
