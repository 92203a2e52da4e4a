import * as otel from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { traceTo } from '../../lib/observe/trace.ts';
import { awsError } from '../support/faulty-table.ts';
import { keyed, receiver } from '../support/receiver-rig.ts';
import { again, record } from '../support/records.ts';
import { world } from '../support/rig.ts';

const exporter = new InMemorySpanExporter();
const sender = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = { dataType: 'String', stringValue: `00-${sender.traceId}-${sender.spanId}-01` };

beforeAll(() => {
  otel.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  otel.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterEach(() => exporter.reset());

describe('a span per message', () => {
  test('tells verdict, attempt and fence, and links to the trace of the sender', async () => {
    const w = world();
    const deliver = w.consumer(() => 'done', { observers: [traceTo(otel)] });
    const first = { ...record('m1'), messageAttributes: { traceparent } };
    await deliver([first]);
    await deliver([again(first)]);
    const [completed, duplicate] = exporter.getFinishedSpans();
    expect(completed?.attributes).toMatchObject({
      'messaging.system': 'aws_sqs',
      'messaging.destination.name': 'test-queue',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.message.id': 'm1',
      'sqs_once.verdict': 'completed',
      'sqs_once.attempt': 1,
      'sqs_once.fence': 1,
    });
    expect(completed?.name).toBe('process test-queue');
    expect(completed?.kind).toBe(otel.SpanKind.CONSUMER);
    expect(completed?.links[0]?.context).toMatchObject(sender);
    expect(duplicate?.attributes['sqs_once.verdict']).toBe('duplicate');
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });

  test('of a failed attempt is an error with its exception; a message without a trace has no link', async () => {
    const w = world();
    const deliver = w.consumer(
      () => {
        throw new TypeError('no stock');
      },
      { observers: [traceTo(otel)] },
    );
    await deliver([record('m1')]);
    const [span] = exporter.getFinishedSpans();
    expect(span?.status.code).toBe(otel.SpanStatusCode.ERROR);
    expect(span?.events[0]?.attributes?.['exception.message']).toBe('no stock');
    expect(span?.attributes['error.type']).toBe('TypeError');
    expect(span?.links).toEqual([]);
  });

  test('that is claimed with its commit lasts from the start of its handler', async () => {
    const w = world();
    const options = { claim: 'with-commit', observers: [traceTo(otel)] } as const;
    const deliver = w.consumer(() => new Promise((resolve) => void setTimeout(resolve, 20)), options);
    await deliver([record('m1')]);
    const [span] = exporter.getFinishedSpans();
    expect(span?.attributes['sqs_once.verdict']).toBe('completed');
    expect(span?.duration[1]).toBeGreaterThan(10_000_000);
  });

  test('a request is a span of its own kind, with nothing of messaging about it', async () => {
    const w = world();
    const ask = receiver(w, () => ({ statusCode: 201 }), { observers: [traceTo(otel)] });
    for (let time = 0; time < 2; time += 1) await ask(keyed('k1'));
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ attributes }) => attributes['sqs_once.verdict'])).toEqual(['completed', 'duplicate']);
    expect(spans[0]?.kind).toBe(otel.SpanKind.INTERNAL);
    expect(Object.keys(spans[0]?.attributes ?? {}).filter((name) => name.startsWith('messaging'))).toEqual(
      [],
    );
  });

  test('of a request whose key is taken ends with that', async () => {
    const w = world();
    const ask = receiver(w, () => ({ statusCode: 201 }), { observers: [traceTo(otel)] });
    for (const body of ['{"sku":"cup"}', '{"sku":"pot"}']) await ask({ ...keyed('k1'), body });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ attributes }) => attributes['sqs_once.verdict'])).toEqual([
      'completed',
      'key-reused',
    ]);
    expect(spans[1]?.status.code).toBe(otel.SpanStatusCode.ERROR);
  });

  test('ends for a message that is parked under another name than it was claimed under', async () => {
    const w = world();
    const deliver = w.consumer(() => {}, { key: () => 'one', observers: [traceTo(otel)] });
    await deliver([record('m1', { body: { amount: 1 } })]);
    await deliver([record('m2', { body: { amount: 2 } })]);
    expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['sqs_once.verdict'])).toEqual([
      'completed',
      'parked',
    ]);
  });

  test('of a request that the table refuses for good ends with that', async () => {
    const w = world();
    w.faults.intercept(() => Promise.reject(awsError('AccessDeniedException')));
    const ask = receiver(w, () => {}, { observers: [traceTo(otel)] });
    await expect(ask(keyed('k1'))).rejects.toThrow('AccessDenied');
    expect(exporter.getFinishedSpans().map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({
        'sqs_once.verdict': 'store-unavailable',
        'error.type': 'ConfigurationError',
      }),
    ]);
  });

  test('ends with the answer when nothing else was told of its end, and an answer alone is none', () => {
    const observer = traceTo(otel);
    const about = { scope: 'tests', messageId: 'r1' };
    for (const type of ['claiming', 'answering', 'answering'] as const) observer({ type, ...about });
    const [span, ...more] = exporter.getFinishedSpans();
    expect(span?.attributes).toMatchObject({ 'sqs_once.verdict': 'answering', 'error.type': 'answering' });
    expect(more).toEqual([]);
  });

  test('ends in any case once there are more of them than the largest batch has', () => {
    const observer = traceTo(otel);
    for (let n = 0; n < 10_003; n += 1) observer({ type: 'claiming', scope: 'tests', messageId: `m${n}` });
    expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['messaging.message.id'])).toEqual(
      Array(3).fill(undefined),
    );
  });
});
