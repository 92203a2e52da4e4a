import { ConfigurationError } from '../errors.ts';
import { shown } from '../option-checks.ts';
import type { Observer, OnceEvent, OnceEventType } from './events.ts';

/**
 * What is used of `@opentelemetry/api`, an optional peer: hand in the module. Spelled out here, so that a
 * project without that library still compiles with `skipLibCheck` off.
 */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string): { startSpan(name: string, options: object): Span };
    getSpanContext(context: object): object | undefined;
  };
  readonly propagation: { extract(context: object, carrier: object): object };
  readonly ROOT_CONTEXT: object;
  readonly SpanKind: { readonly CONSUMER: number; readonly INTERNAL: number };
  readonly SpanStatusCode: { readonly ERROR: number };
}

interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { readonly code: number; readonly message: string }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** What a message's span begins with: its claim, or under `with-commit`, which claims last, its handler. */
const beginnings: readonly OnceEventType[] = ['claiming', 'starting'];

/** Events after which a message is out of our hands, and whether it ended badly. */
const endings: Readonly<Partial<Record<OnceEventType, 'fine' | 'bad'>>> = {
  completed: 'fine',
  rejected: 'fine',
  duplicate: 'fine',
  'in-flight': 'fine',
  deferred: 'fine',
  unstarted: 'fine',
  parked: 'bad',
  failed: 'bad',
  'park-failed': 'bad',
  'fenced-out': 'bad',
  'outcome-unrecorded': 'bad',
  'store-unavailable': 'bad',
  // Of one that is still open: its answer is given, and nothing was told of what became of it.
  answering: 'bad',
};

/** As many as the largest batch has messages. */
const mostOpen = 10_000;

/** A message whose key is taken is parked next; a request is answered, and that was all. */
function endingOf({ type, queue }: OnceEvent): 'fine' | 'bad' | undefined {
  return type === 'key-reused' && queue === undefined ? 'bad' : endings[type];
}

/**
 * An observer that makes a span of every message or request, from its claim to what became of it, linked to
 * the trace of its sender, with OpenTelemetry's attributes for messaging (a request has none of them) and
 * `sqs_once.*` for scope, hashed key, verdict, attempt and fence. Keys appear hashed; bodies never do.
 *
 * @param otel the module `@opentelemetry/api`, an optional peer
 * @throws ConfigurationError at once, for anything else
 * @example
 * ```ts
 * import * as otel from '@opentelemetry/api';
 *
 * const payments = idempotentConsumer({ scope: 'capture-payment', observers: [traceTo(otel)] });
 * ```
 */
export function traceTo(otel: OpenTelemetryApi): Observer {
  if (!isOpenTelemetry(otel)) {
    throw new ConfigurationError(
      `traceTo was given ${shown(otel)}; give the module: import * as otel from '@opentelemetry/api'`,
    );
  }
  const tracer = otel.trace.getTracer('sqs-once');
  const open = new Map<string, Span>();

  function start(event: OnceEvent): Span {
    const sender =
      event.trace === undefined
        ? undefined
        : otel.trace.getSpanContext(otel.propagation.extract(otel.ROOT_CONTEXT, event.trace));
    return tracer.startSpan(`process ${event.queue ?? event.scope}`, {
      kind: event.queue === undefined ? otel.SpanKind.INTERNAL : otel.SpanKind.CONSUMER,
      links: sender === undefined ? [] : [{ context: sender }],
      attributes: {
        ...messagingAttributes(event),
        'sqs_once.scope': event.scope,
        'sqs_once.key_hash': event.keyHash ?? '',
      },
    });
  }

  function end(span: Span, event: OnceEvent): void {
    span.setAttribute('sqs_once.verdict', event.type);
    if (event.attempt !== undefined) span.setAttribute('sqs_once.attempt', event.attempt);
    if (event.fence !== undefined) span.setAttribute('sqs_once.fence', event.fence);
    if (event.reason !== undefined) span.setAttribute('sqs_once.reason', event.reason);
    if (event.error !== undefined) span.recordException(event.error);
    if (endingOf(event) === 'bad') {
      span.setAttribute('error.type', event.error?.name ?? event.type);
      span.setStatus({ code: otel.SpanStatusCode.ERROR, message: event.reason ?? event.type });
    }
    span.end();
  }

  return (event) => {
    const delivery = `${event.scope}\n${event.messageId}`;
    if (beginnings.includes(event.type) && !open.has(delivery)) {
      open.set(delivery, start(event));
      letGoOfTheOldest();
    }
    const span = open.get(delivery);
    if (event.type === 'answering' ? span === undefined : endingOf(event) === undefined) return;
    open.delete(delivery);
    // What was decided without a claim, such as a message that never started, is a span of no length.
    end(span ?? start(event), event);
  };

  /** One whose end was never told must not stay for as long as the process does. */
  function letGoOfTheOldest(): void {
    if (open.size <= mostOpen) return;
    for (const [delivery, span] of open) {
      open.delete(delivery);
      span.end();
      return;
    }
  }
}

/** The module's default export has half of it. */
function isOpenTelemetry(given: unknown): given is OpenTelemetryApi {
  const { trace, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode } = Object(
    given,
  ) as Partial<OpenTelemetryApi>;
  return (
    typeof trace?.getTracer === 'function' &&
    typeof trace.getSpanContext === 'function' &&
    typeof propagation?.extract === 'function' &&
    [ROOT_CONTEXT, SpanKind, SpanStatusCode].every((part) => typeof part === 'object' && part !== null)
  );
}

function messagingAttributes({ queue, messageId }: OnceEvent): Record<string, string> {
  if (queue === undefined) return {};
  return {
    'messaging.system': 'aws_sqs',
    'messaging.destination.name': queue,
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.message.id': messageId ?? '',
  };
}
