import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { inTime, whenOver } from '../lib/in-time.ts';

const never = new Promise<void>(() => {});

describe('waiting for work, but not beyond an end', () => {
  it('what the work came to counts when it comes first', async () => {
    await expect(inTime(Promise.resolve('done'), never, 'late')).resolves.toBe('done');
  });

  it('an error of the work is thrown on', async () => {
    await expect(inTime(Promise.reject(new Error('broken')), never, 'late')).rejects.toThrow('broken');
  });

  it('work that outlasts the end is not waited for', async () => {
    await expect(inTime(never, Promise.resolve(), 'late')).resolves.toBe('late');
  });

  it('an end that came long ago counts for whoever asks later', async () => {
    const end = Promise.resolve();
    await inTime(never, end, 'late');
    await expect(inTime(never, end, 'late')).resolves.toBe('late');
  });

  it('a task that was taken back is not run', async () => {
    const ran: string[] = [];
    const end = Promise.resolve();
    whenOver(end, () => ran.push('taken back'))();
    whenOver(end, () => ran.push('kept'));
    await turn();
    expect(ran).toEqual(['kept']);
  });

  it('results of finished work do not hang on an end that has not come', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const end = new Promise<void>(() => {});
    const results = await Promise.all(
      Array.from(
        { length: 100 },
        async () => new WeakRef((await inTime(largeResult(), end, undefined)) ?? {}),
      ),
    );
    await turn();
    collectGarbage();
    expect(results.filter((result) => result.deref() !== undefined).length).toBeLessThan(10);
    await expect(Promise.race([end, turn()])).resolves.toBeUndefined();
  });
});

async function largeResult(): Promise<object> {
  return { bytes: Buffer.alloc(1_000) };
}
