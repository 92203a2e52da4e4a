import { type EventKind, requestFromEvent } from './arrive/http-event.ts';
import type { Incoming } from './each-request.ts';
import type { InvocationContext } from './handle/deadline.ts';
import type { RequestEnding } from './settle/http-ending.ts';
import { eventResponse, type LambdaResponse } from './settle/http-event-response.ts';
import type { PlainResponse } from './settle/http-response.ts';

/** The request of an invocation. */
export function incomingFrom(event: unknown, context: unknown): Incoming {
  const { request, requestId } = requestFromEvent(event);
  return { request, requestId, context: context as InvocationContext | undefined };
}

/** What the invocation answers; throws what was thrown. */
export function eventAnswer(kind: EventKind, ending: RequestEnding): LambdaResponse {
  return eventResponse(kind, answerOf(ending));
}

export function answerOf(ending: RequestEnding): PlainResponse {
  if (ending.status === 'threw') throw ending.error;
  return ending.response;
}
