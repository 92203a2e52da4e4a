import { expect, test } from 'vitest';
import { honouring, isHonoured } from '../../lib/claim/marks.ts';

const mark = (id: string) => ({ id });

test('a mark counts once, and one that never counted is fresh', () => {
  expect(isHonoured(undefined, mark('a'))).toBe(false);
  const honoured = honouring(undefined, mark('a'));
  expect(isHonoured(honoured, mark('a'))).toBe(true);
  expect(isHonoured(honoured, mark('b'))).toBe(false);
});

test('two messages of one key that come back in turns each count once', () => {
  const honoured = honouring(honouring(undefined, mark('a')), mark('b'));
  expect(isHonoured(honoured, mark('a'))).toBe(true);
  expect(isHonoured(honoured, mark('b'))).toBe(true);
});

test('a part of a mark is another mark', () => {
  expect(isHonoured(honouring(undefined, mark('ab')), mark('a'))).toBe(false);
});

test('a row stays small: the oldest marks go first, and honouring one again moves it up', () => {
  const marks = ['a', 'b', 'c', 'd', 'a', 'e'];
  const honoured = marks.reduce<string | undefined>((row, id) => honouring(row, mark(id)), undefined);
  expect(honoured).toBe('c\nd\na\ne');
});
