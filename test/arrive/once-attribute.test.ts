// Anyone who can send to the queue can write our attribute, so what we never write is not taken for ours.
import { describe, expect, it } from 'vitest';
import { onceAttributeText, readOnceAttribute } from '../../lib/arrive/once-attribute.ts';

describe('the attribute', () => {
  it('is read as it was written', () => {
    const written = { v: 1, scope: 's', key: ' \ufffe', parkId: 'p', attempts: 0, sentAt: 1.5 } as const;
    expect(readOnceAttribute(onceAttributeText(written))).toEqual(written);
  });

  it.each([
    ['no JSON', 'v: 1'],
    ['no object', 'null'],
    ['another version', '{"v":2,"key":"k"}'],
    ['a key that is no text', '{"v":1,"key":5}'],
    ['an empty key', '{"v":1,"key":""}'],
    ['a blank key', '{"v":1,"key":"  "}'],
    ['a blank message id', '{"v":1,"messageId":""}'],
    ['a blank key of a follow-up', '{"v":1,"followUp":" "}'],
    ['a mark larger than a row', `{"v":1,"redrive":"${'r'.repeat(500_000)}"}`],
    ['a parking of that kind', `{"v":1,"parkId":"${'p'.repeat(65)}"}`],
    ['a generation DynamoDB has no number for', '{"v":1,"redrive":"r","effects":1e308}'],
    ['a time before all times', '{"v":1,"sentAt":-1}'],
    ['an error that is none', '{"v":1,"error":"TypeError"}'],
  ])('is not ours with %s', (_, text) => {
    expect(readOnceAttribute(text)).toBeUndefined();
  });
});
