import { describe, expect, test } from 'vitest';
import { judgeAnswer } from '../../lib/local/answer.ts';

const batch = new Set(['a', 'b', 'c']);
const judge = (answer: unknown) => judgeAnswer(JSON.stringify(answer) ?? 'null', batch);

describe('an answer that lists no failure is a success', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty list', { batchItemFailures: [] }],
    ['no list', { batchItemFailures: null }],
    ['a misspelt list, which loses messages on AWS too', { batchItemFailure: [{ itemIdentifier: 'a' }] }],
  ])('%s', (_, answer) => {
    expect(judge(answer)).toEqual({ status: 'succeeded' });
  });
});

test('exactly the listed messages go back, however often they are listed', () => {
  const listed = [{ itemIdentifier: 'c' }, { itemIdentifier: 'a' }, { itemIdentifier: 'c' }];
  expect(judge({ batchItemFailures: listed })).toEqual({
    status: 'partly-failed',
    failedIds: new Set(['a', 'c']),
  });
});

describe('an answer that cannot be understood fails the whole batch', () => {
  const good = { itemIdentifier: 'a' };
  test.each([
    ['an empty id', { batchItemFailures: [good, { itemIdentifier: '' }] }, /\[1\].itemIdentifier is empty/],
    ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }, /\[0\].itemIdentifier is null/],
    ['an id that is no text', { batchItemFailures: [{ itemIdentifier: 7 }] }, /of type number/],
    ['an id not in the batch', { batchItemFailures: [good, { itemIdentifier: 'z' }] }, /no message of this/],
    ['another name inside an entry', { batchItemFailures: [{ messageId: 'a' }] }, /no itemIdentifier/],
    ['an entry that is no object', { batchItemFailures: ['a'] }, /no itemIdentifier/],
    ['an entry that is null', { batchItemFailures: [null] }, /no itemIdentifier/],
    ['failures that are no list', { batchItemFailures: { itemIdentifier: 'a' } }, /expected a list/],
    ['a bare list', [{ status: 'fulfilled' }], /the answer is a list/],
    ['a bare text', 'ok', /the answer is of type string/],
  ])('%s', (_, answer, reason) => {
    expect(judge(answer)).toEqual({ status: 'malformed', reason: expect.stringMatching(reason) });
  });
});

test('a reason names no message id', () => {
  expect(JSON.stringify(judge({ batchItemFailures: [{ itemIdentifier: 'secret' }] }))).not.toContain(
    'secret',
  );
});
