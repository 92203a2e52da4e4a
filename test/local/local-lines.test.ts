import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { localLines } from '../../lib/cli/local-lines.ts';
import type { OutcomeStep } from '../../lib/local/chaos/words.ts';
import type { Delivery, RunnerEvent } from '../../lib/local/events.ts';
import { toRecord } from '../../lib/local/record.ts';

const at = new Date(2026, 10, 30, 12, 0, 1, 42);
const invocation = { worker: 1, requestId: 'r', durationMillis: 34.6 };

function delivery(messageId: string, receives: number): Delivery {
  const Attributes = { ApproximateReceiveCount: String(receives) };
  const message = { MessageId: messageId, ReceiptHandle: 'secret-receipt', Body: 'secret body', Attributes };
  return { record: toRecord(message, 'arn:aws:sqs:us-east-1:000000000000:tea'), duplicated: false };
}

/** The lines of the last of these events. */
function lines(...events: readonly RunnerEvent[]): string[] {
  const linesOf = localLines(3);
  return (events.map((event) => linesOf(event, at)).at(-1) ?? []).map(stripVTControlCharacters);
}

function told(messageId: string, step: Pick<OutcomeStep, 'event'> & Partial<OutcomeStep>): RunnerEvent {
  return { type: 'step', worker: 1, step: { type: 'sqs-once', at: 0, messageId, ...step } };
}

describe('what the terminal shows', () => {
  test('is one line for each message: time, message, delivery, outcome', () => {
    const acknowledged = [delivery('11111111-aaaa', 1), delivery('22222222-bbbb', 2)];
    const returned = [delivery('33333333-cccc', 1)];
    expect(lines({ type: 'answered', ...invocation, acknowledged, returned })).toEqual([
      '12:00:01.042  11111111  delivery 1  acknowledged  35 ms, worker 1',
      '12:00:01.042  22222222  delivery 2  acknowledged  35 ms, worker 1',
      '12:00:01.042  33333333  delivery 1  returned      35 ms, worker 1',
    ]);
  });

  test('tells why a whole batch came back, with the stack once', () => {
    const returned = [delivery('11111111-aaaa', 1), delivery('22222222-bbbb', 1)];
    const error = { name: 'TypeError', message: 'no tea', stack: 'TypeError: no tea\n    at pour' };
    expect(lines({ type: 'failed', ...invocation, reason: 'threw', error, returned })).toEqual([
      '12:00:01.042  11111111  delivery 1  returned      the handler threw: TypeError: no tea',
      '12:00:01.042  22222222  delivery 1  returned      the handler threw: TypeError: no tea',
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

  test('has the verdict of a guarded handler, in the order it was told', () => {
    const one = delivery('11111111-aaaa', 2);
    const line = (...steps: RunnerEvent[]) =>
      lines({ type: 'delivered', ...invocation, deliveries: [one] }, ...steps, {
        type: 'answered',
        ...invocation,
        acknowledged: [one],
        returned: [],
      })[0]?.slice('12:00:01.042  11111111  delivery 2  acknowledged  '.length, -'  35 ms, worker 1'.length);
    const { messageId } = one.record;
    const claimed = told(messageId, { event: 'claimed', attempt: 1 });
    expect(line(claimed)).toBe('claimed, attempt 1');
    expect(line(claimed, told(messageId, { event: 'completed', attempt: 1 }))).toBe('completed, attempt 1');
    expect(line(told(messageId, { event: 'duplicate', reason: 'parked' }))).toBe('duplicate: parked');
    expect(
      line(
        told(messageId, { event: 'taken-over', attempt: 3 }),
        told(messageId, { event: 'failed', attempt: 3, error: 'TypeError: no tea\n  at the counter' }),
        told(messageId, { event: 'parked', attempt: 3, reason: 'attempts-exhausted' }),
      ),
    ).toBe('taken-over → failed (TypeError: no tea) → parked: attempts-exhausted, attempt 3');
    const sent = told(messageId, { event: 'follow-up-sent' });
    expect(line(claimed, sent, sent, told(messageId, { event: 'completed', attempt: 1 }))).toBe(
      'completed, attempt 1, 2 follow-ups sent',
    );
  });

  test('keeps what was told when the worker is killed in the middle', () => {
    const returned = [delivery('11111111-aaaa', 1)];
    expect(
      lines(
        { type: 'delivered', ...invocation, deliveries: returned },
        told('11111111-aaaa', { event: 'claimed', attempt: 1 }),
        { type: 'failed', ...invocation, reason: 'died', returned },
      ),
    ).toEqual([
      '12:00:01.042  11111111  delivery 1  returned      claimed, attempt 1  the worker ended in the middle',
    ]);
  });

  test('tells of a message later when a handler goes on after its answer', () => {
    expect(
      lines(
        { type: 'delivered', ...invocation, deliveries: [delivery('22222222-bbbb', 1)] },
        told('11111111-aaaa', { event: 'fenced-out', attempt: 1 }),
      ),
    ).toEqual(['12:00:01.042  11111111  later       fenced-out, attempt 1']);
  });

  test('never quotes what a parser could not read', () => {
    const one = delivery('11111111-aaaa', 1);
    expect(
      lines(
        { type: 'delivered', ...invocation, deliveries: [one] },
        told('11111111-aaaa', { event: 'parked', reason: 'unparseable', error: 'SyntaxError: secret body' }),
        { type: 'answered', ...invocation, acknowledged: [one], returned: [] },
      ),
    ).toEqual(['12:00:01.042  11111111  delivery 1  acknowledged  parked: unparseable  35 ms, worker 1']);
  });

  test.each([
    ['unparseable', 'Error: the body does not match the schema at /amountCents', '(at /amountCents)'],
    [
      'unparseable',
      'Error: the body does not match the schema at /a/0, at /m/* and 2 more places',
      '(at /a/0, at /m/* and 2 more places)',
    ],
    ['unparseable', 'Error: the body is not JSON: position 4', '(the body is not JSON: position 4)'],
    ['unparseable', 'Error: parse threw RangeError', '(parse threw RangeError)'],
    ['no-key', 'NoKeyError: the key function threw TypeError', '(the key function threw TypeError)'],
    [
      'no-key',
      'NoKeyError: key is undefined; give a string that is not blank, or a safe integer',
      '(key is undefined)',
    ],
    ['no-key', 'NoKeyError: there is none in "secret body"', ''],
    ['unparseable', 'Error: the body does not match the schema: "secret body" is no number', ''],
  ])('says where a body could not be read, in our own words only: %s, %s', (reason, error, place) => {
    const one = delivery('11111111-aaaa', 1);
    const verdict = `parked: ${reason} ${place}`.trim();
    expect(
      lines(
        { type: 'delivered', ...invocation, deliveries: [one] },
        told('11111111-aaaa', { event: 'parked', reason, error }),
        { type: 'answered', ...invocation, acknowledged: [one], returned: [] },
      ),
    ).toEqual([`12:00:01.042  11111111  delivery 1  acknowledged  ${verdict}  35 ms, worker 1`]);
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
