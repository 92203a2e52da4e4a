import type { SqsBatchResponse } from './arrive/record.ts';
import { type Consumer, recordsOf } from './consume-event.ts';
import { ConfigurationError } from './errors.ts';
import { guardResponse, type ResponseGuard } from './guarded-response.ts';
import type { InvocationContext } from './handle/deadline.ts';
import { isTimeoutOfMiddy } from './middy-timeout.ts';
import { gateInside, openInside } from './nesting.ts';
import { beginWholeEvent, type WholeEvent } from './whole-event.ts';
import { failureReason, resultsOf } from './whole-event-answer.ts';
import type { MiddlewareRequest } from './withheld.ts';

interface Underway {
  readonly event: WholeEvent;
  readonly guard: ResponseGuard;
}

/** The middleware under a handler that takes its event whole: claims before it, settles by what it answered. */
export class WholeEvents {
  private readonly consumer: Consumer<unknown>;
  private readonly underway = new WeakMap<MiddlewareRequest, Underway>();

  constructor(consumer: Consumer<unknown>) {
    this.consumer = consumer;
  }

  async before(request: MiddlewareRequest): Promise<SqsBatchResponse | undefined> {
    if (this.underway.has(request)) {
      throw new ConfigurationError('this idempotentConsumer is used twice for one handler; use it once');
    }
    // A middleware behind us that answers early counts as the handler, like everything behind us.
    const guard = guardResponse(request, (answer) => this.settle(request, this.take(request), answer));
    try {
      const records = recordsOf(request.event);
      const consumer = { ...this.consumer, gate: gateInside(request) ?? this.consumer.gate };
      const event = await beginWholeEvent(consumer, records, request.context as InvocationContext);
      if (event.messageIds.length === 0) {
        const response = await event.finish([]);
        guard.answer(response);
        return response;
      }
      openInside(request);
      this.underway.set(request, { event, guard });
      request.event = { ...(request.event as object), Records: [...event.runnable] };
      return undefined;
    } catch (error) {
      guard.answer(undefined);
      throw error;
    }
  }

  async after(request: MiddlewareRequest): Promise<void> {
    const underway = this.take(request);
    if (underway !== undefined) await this.answerBy(request, underway);
  }

  async onError(request: MiddlewareRequest): Promise<void> {
    const underway = this.take(request);
    if (underway === undefined) return;
    const { event, guard } = underway;
    // A middleware behind us has made an answer of the error, and so it is the handler's answer.
    if (request.response !== undefined) return this.answerBy(request, underway);
    guard.answer(undefined);
    if (isTimeoutOfMiddy(request.error)) event.abandon();
    else await event.fail(failureReason(request.error, event.messageIds.length));
  }

  private take(request: MiddlewareRequest): Underway | undefined {
    const underway = this.underway.get(request);
    this.underway.delete(request);
    return underway;
  }

  private async answerBy(request: MiddlewareRequest, underway: Underway): Promise<void> {
    try {
      underway.guard.answer(await this.settle(request, underway, request.response));
    } catch (error) {
      underway.guard.answer(undefined);
      throw error;
    }
  }

  private async settle(
    request: MiddlewareRequest,
    underway: Underway | undefined,
    response: unknown,
  ): Promise<unknown> {
    if (underway === undefined) return undefined;
    const { event } = underway;
    // Whatever a middleware made of Middy's timeout, the handler still runs: its claims stay.
    if (isTimeoutOfMiddy(request.error)) {
      event.abandon();
      throw request.error;
    }
    const answer = await resultsOf(response, event.messageIds);
    if (answer.status === 'results') return event.finish(answer.results);
    await event.fail(answer.reason);
    throw answer.error;
  }
}
