import { type EventKind, eventKind } from './arrive/http-event.ts';
import { ConfigurationError } from './errors.ts';
import { guardResponse, type ResponseGuard } from './guarded-response.ts';
import { eventAnswer, incomingFrom } from './lambda-request.ts';
import { isTimeoutOfMiddy } from './middy-timeout.ts';
import type { ReceiverSettings } from './receiver-settings.ts';
import type { LambdaResponse } from './settle/http-event-response.ts';
import { beginWholeRequest, type WholeRequest } from './whole-request.ts';
import type { MiddlewareRequest } from './withheld.ts';

interface Underway {
  readonly waiting: WholeRequest;
  /** As the event came: what stands behind us may have put another in its place. */
  readonly kind: EventKind;
  readonly guard: ResponseGuard;
}

/** The receiver around a handler that knows nothing of it: claims before it, settles by what it answered. */
export class WholeRequests<Body> {
  private readonly settings: ReceiverSettings<Body>;
  private readonly underway = new WeakMap<MiddlewareRequest, Underway>();

  constructor(settings: ReceiverSettings<Body>) {
    this.settings = settings;
  }

  async before(request: MiddlewareRequest): Promise<LambdaResponse | undefined> {
    // It would meet its own claim in flight, and record its own 409 as what the handler answered.
    if (this.underway.has(request)) {
      throw new ConfigurationError('this idempotentReceiver is used twice for one handler; use it once');
    }
    const kind = eventKind(request.event);
    const waiting = await beginWholeRequest(this.settings, incomingFrom(request.event, request.context));
    if (waiting.answer !== undefined) return eventAnswer(kind, waiting.answer);
    // A middleware behind us that answers early counts as the handler, like everything behind us.
    const guard = guardResponse(request, (answer) => this.answerBy(request, answer));
    this.underway.set(request, { waiting, kind, guard });
    return undefined;
  }

  async after(request: MiddlewareRequest): Promise<void> {
    request.response = await this.answerBy(request, request.response);
  }

  async onError(request: MiddlewareRequest): Promise<void> {
    // A middleware behind us has made an answer of the error, and so it is the handler's answer.
    if (request.response !== undefined) return this.after(request);
    const underway = this.take(request);
    if (underway === undefined) return;
    if (isTimeoutOfMiddy(request.error)) return underway.waiting.abandon();
    const ending = await underway.waiting.threw(request.error);
    // A failure that is thrown on is Middy's already, for the error handlers around us.
    if (ending.status !== 'threw') request.response = eventAnswer(underway.kind, ending);
  }

  /** The handler's own answer stays as the handler gave it. */
  private async answerBy(request: MiddlewareRequest, response: unknown): Promise<unknown> {
    const underway = this.take(request);
    if (underway === undefined) return response;
    const { waiting, kind } = underway;
    if (isTimeoutOfMiddy(request.error)) {
      waiting.abandon();
      return response;
    }
    const ending = await waiting.returned(response);
    return ending.status === 'passed' ? response : eventAnswer(kind, ending);
  }

  private take(request: MiddlewareRequest): Underway | undefined {
    const underway = this.underway.get(request);
    this.underway.delete(request);
    underway?.guard.letGo();
    return underway;
  }
}
