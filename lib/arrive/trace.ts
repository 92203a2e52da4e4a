import type { TraceCarrier } from '../words.ts';
import type { SqsRecord } from './record.ts';

/** What a message brings of its sender's trace: W3C's headers as attributes, AWS's as a system attribute. */
export function traceOf({ attributes, messageAttributes }: SqsRecord): TraceCarrier | undefined {
  return carrierOf({
    traceparent: messageAttributes.traceparent?.stringValue,
    tracestate: messageAttributes.tracestate?.stringValue,
    'x-amzn-trace-id': attributes.AWSTraceHeader,
  });
}

/** The headers that are there, or nothing when none is. */
export function carrierOf(
  headers: Readonly<Record<keyof TraceCarrier, string | undefined>>,
): TraceCarrier | undefined {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.freeze(Object.fromEntries(present));
}
