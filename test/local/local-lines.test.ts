import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../lib/cli/local-lines.ts';
import type { Delivery, RunnerEvent } from '../../lib/local/events.ts';
import { toRecord } from '../../lib/local/record.ts';

const at = new Date(2026, 10, 30, 12, 0, 1, 42);
const invocation = { worker: 1, requestId: 'r', durationMillis: 34.6 };

function delivery(messageId: string, receives: number): Delivery {
  const Attributes = { ApproximateReceiveCount: String(receives) };
  const message = { MessageId: messageId, ReceiptHandle: 'secret-receipt', Body: 'secret body', Attributes };
  return { record: toRecord(message, 'arn:aws:sqs:us-east-1:000000000000:tea'), duplicated: false };
}

const lines = (event: RunnerEvent) => linesOf(event, at, 3).map(stripVTControlCharacters);

describe('what the terminal shows', () => {
  test('is one line for each message: time, message, delivery, outcome', () => {
    const acknowledged = [delivery('11111111-aaaa', 1), delivery('22222222-bbbb', 2)];
    const returned = [delivery('33333333-cccc', 1)];
    expect(lines({ type: 'answered', ...invocation, acknowledged, returned })).toEqual([
      '12:00:01.042  11111111  delivery 1  acknowledged  35 ms, worker 1',
      '12:00:01.042  22222222  delivery 2  acknowledged  35 ms, worker 1',
      '12:00:01.042  33333333  delivery 1  returned  35 ms, worker 1',
    ]);
  });

  test('tells why a whole batch came back, with the stack once', () => {
    const returned = [delivery('11111111-aaaa', 1), delivery('22222222-bbbb', 1)];
    const error = { name: 'TypeError', message: 'no tea', stack: 'TypeError: no tea\n    at pour' };
    expect(lines({ type: 'failed', ...invocation, reason: 'threw', error, returned })).toEqual([
      '12:00:01.042  11111111  delivery 1  returned  the handler threw: TypeError: no tea',
      '12:00:01.042  22222222  delivery 1  returned  the handler threw: TypeError: no tea',
      '    at pour',
    ]);
  });

  test('says when a message goes to the dead-letter queue next', () => {
    const returned = [delivery('11111111-aaaa', 3)];
    expect(lines({ type: 'failed', ...invocation, reason: 'timed-out', returned })).toEqual([
      '12:00:01.042  11111111  delivery 3  returned, next to the dead-letter queue  timed out, worker killed',
    ]);
  });

  test('is what workers print, too', () => {
    expect(lines({ type: 'output', worker: 0, stream: 'stdout', line: 'hot' })).toEqual([
      '12:00:01.042  worker 0 │ hot',
    ]);
  });

  test('never shows a body or a receipt', () => {
    const returned = [delivery('11111111-aaaa', 1)];
    const shown = [
      ...lines({ type: 'delivered', ...invocation, deliveries: returned }),
      ...lines({ type: 'failed', ...invocation, reason: 'died', returned }),
    ].join('\n');
    expect(shown).toContain('11111111');
    expect(shown).not.toContain('secret');
  });
});
