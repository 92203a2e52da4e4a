// When returned messages come back: harmless when refused, told once, never by sending again.

import type { SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeSqs as fake } from '../support/fake-sqs.ts';

const queueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/orders';
const fakeSqs = () => fake() as ReturnType<typeof fake> & Pick<SQSClient, 'send'>;
const never = new AbortController().signal;

let returnMessages: typeof import('../../lib/settle/visibility.ts').returnMessages;
const warned: string[] = [];

beforeEach(async () => {
  // A cold start each: what is told once is told once per process.
  vi.resetModules();
  ({ returnMessages } = await import('../../lib/settle/visibility.ts'));
  warned.length = 0;
  vi.spyOn(console, 'warn').mockImplementation((text) => void warned.push(String(text)));
});

const returns = (count: number, visibleInMillis = 30_000) =>
  Array.from({ length: count }, (_, place) => ({ receiptHandle: `receipt ${place}`, visibleInMillis }));

describe('setting visibility', () => {
  test('takes ten messages a call and leaves none out', async () => {
    const sqs = fakeSqs();
    await returnMessages(sqs, queueUrl, returns(23), never);
    expect(sqs.calls.map(({ input }) => input.Entries.length)).toEqual([10, 10, 3]);
    expect(sqs.visibility.size).toBe(23);
  });

  test('keeps few calls in the air for an event of thousands', async () => {
    const sqs = fakeSqs();
    let inTheAir = 0;
    let most = 0;
    sqs.answer('ChangeMessageVisibilityBatch', async ({ Entries }) => {
      inTheAir += 1;
      most = Math.max(most, inTheAir);
      await new Promise((resolve) => setImmediate(resolve));
      inTheAir -= 1;
      return { Successful: Entries };
    });
    await returnMessages(sqs, queueUrl, returns(1_000), never);
    expect(sqs.calls).toHaveLength(100);
    expect(most).toBe(10);
  });

  test.each([
    [-5_000, 0],
    [0, 0],
    [1, 1],
    [29_400, 30],
    [90_000_000, 41_400],
  ])('%i ms become %i whole seconds that SQS takes', async (visibleInMillis, seconds) => {
    const sqs = fakeSqs();
    await returnMessages(sqs, queueUrl, returns(1, visibleInMillis), never);
    expect(sqs.visibility.get('receipt 0')).toBe(seconds);
  });

  test('a stale receipt among ten is harmless, and told once however often it happens', async () => {
    const sqs = fakeSqs();
    sqs.answer('ChangeMessageVisibilityBatch', ({ Entries: [refused, ...rest] }) => ({
      Successful: rest,
      Failed: [{ Id: refused.Id, Code: 'ReceiptHandleIsInvalid', SenderFault: true }],
    }));
    for (let time = 0; time < 20; time += 1) await returnMessages(sqs, queueUrl, returns(10), never);
    expect(warned).toEqual([expect.stringContaining('ReceiptHandleIsInvalid')]);
    expect(warned.join()).not.toContain('receipt 0');
  });

  test('a call that fails is harmless and told once', async () => {
    const sqs = fakeSqs();
    sqs.answer('ChangeMessageVisibilityBatch', () => {
      throw Object.assign(new Error('no'), { name: 'AccessDenied' });
    });
    await returnMessages(sqs, queueUrl, returns(30), never);
    expect(warned).toEqual([expect.stringContaining('AccessDenied')]);
  });

  test('a call that is given up because the time ran out is no refusal', async () => {
    const sqs = fakeSqs();
    await returnMessages(sqs, queueUrl, returns(3), AbortSignal.abort());
    expect(warned).toEqual([]);
  });
});
