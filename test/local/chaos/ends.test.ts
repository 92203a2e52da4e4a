// What was begun is ended, in the other order and to the last.
import { expect, test } from 'vitest';
import { createEnds } from '../../../lib/local/chaos/ends.ts';

test('the last thing begun ends first, and each once', async () => {
  const ends = createEnds();
  const done: string[] = [];
  for (const name of ['kettle', 'tea', 'cup']) ends.add(() => void done.push(name));
  await ends.run();
  await ends.run();
  expect(done).toEqual(['cup', 'tea', 'kettle']);
});

test('an end that fails keeps no other from ending, and is not kept silent', async () => {
  const ends = createEnds();
  const done: string[] = [];
  ends.add(() => void done.push('kettle'));
  ends.add(() => Promise.reject(new Error('the tea is spilt')));
  await expect(ends.run()).rejects.toThrow('the tea is spilt');
  expect(done).toEqual(['kettle']);
});
