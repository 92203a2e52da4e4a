import type { SqsBatchResponse } from './arrive/record.ts';
import { type Consumer, consumeEvent, recordsOf } from './consume-event.ts';
import { guardResponse, type ResponseGuard } from './guarded-response.ts';
import type { InvocationContext } from './handle/deadline.ts';
import { gateInside } from './nesting.ts';
import type { MessageHandler } from './options.ts';
import { type MiddlewareRequest, Withheld } from './withheld.ts';

/** The middleware with a handler of its own: the records wait for it, and nobody else answers for them. */
export class WithheldEvents<Body> {
  private readonly consumer: Consumer<Body>;
  private readonly guards = new WeakMap<MiddlewareRequest, ResponseGuard>();
  private readonly consumers = new WeakMap<object, Consumer<Body>>();
  private readonly withheld = new Withheld<SqsBatchResponse>({
    middleware: 'idempotentConsumer',
    method: 'eachMessage',
    plain: 'consumeOnce',
  });

  constructor(consumer: Consumer<Body>) {
    this.consumer = consumer;
  }

  get areWanted(): boolean {
    return this.withheld.isWanted;
  }

  before(request: MiddlewareRequest): undefined {
    this.withheld.refuseSecondUse(request);
    const guard = guardResponse(request, () => this.withheld.answer(request));
    this.guards.set(request, guard);
    recordsOf(request.event);
    const event = request.event as object;
    this.consumers.set(event, { ...this.consumer, gate: gateInside(request) ?? this.consumer.gate });
    this.withheld.take(request, { ...event, Records: [] });
  }

  async after(request: MiddlewareRequest): Promise<void> {
    await this.withheld.giveBack(request);
    this.guards.get(request)?.answer(request.response);
  }

  onError(request: MiddlewareRequest): void {
    this.withheld.restore(request);
    this.guards.get(request)?.answer(undefined);
  }

  eachMessage(handler: MessageHandler<Body>) {
    return this.withheld.handler((event, context) =>
      consumeEvent(
        this.consumers.get(event) ?? this.consumer,
        recordsOf(event),
        context as InvocationContext,
        handler,
      ),
    );
  }
}
