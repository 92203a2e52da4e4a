// The director does the planned mischief when it is due, to whom it is due, and as often.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDirector } from '../../../lib/local/chaos/director.ts';
import type { Mischief } from '../../../lib/local/chaos/plan.ts';
import type { RunnerEvent } from '../../../lib/local/events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stage(...mischief: Mischief[]) {
  return stageWith(false, mischief);
}

function stageWith(overtakes: boolean, mischief: readonly Mischief[]) {
  const done: string[] = [];
  const director = createDirector({
    mischief,
    workers: 2,
    pauseMillis: [5_000, 7_000],
    ...(overtakes ? { comesTwice: () => true } : {}),
    hands: () => ({
      runner: {
        kill: (worker) => void done.push(`kill ${worker}`),
        pause: (worker) => void done.push(`pause ${worker}`),
        resume: (worker) => void done.push(`resume ${worker}`),
        tell: (worker, { armed, sleepsOver }) =>
          void done.push(
            sleepsOver
              ? `sing to ${worker} of ${sleepsOver}`
              : `arm ${worker} ${(armed as { point: string }[]).map(({ point }) => point).join()}`,
          ),
      },
      proxy: { breakNext: ({ service, fault }) => void done.push(`${fault.kind} ${service}`) },
    }),
  });
  return { director, done };
}

const delivered = (worker: number, requestId: string, duplicated = false) =>
  ({
    type: 'delivered',
    worker,
    requestId,
    deliveries: [{ duplicated, record: { messageId: 'm-1' } }],
  }) as unknown as RunnerEvent;
const answered = (worker: number, requestId: string, acknowledged = 1) =>
  ({
    type: 'answered',
    worker,
    requestId,
    durationMillis: 100,
    acknowledged: Array.from({ length: acknowledged }),
    returned: [],
  }) as unknown as RunnerEvent;
const crashedAt = (worker: number, crashed: string): RunnerEvent => ({
  type: 'step',
  worker,
  step: { type: 'sqs-once', crashed },
});
const now = { dueAt: 0, fraction: 0.5 };

describe('a kill', () => {
  test('comes some time into an invocation, once', () => {
    const { director, done } = stage({ kind: 'kill', ...now });
    director.hear(delivered(1, 'r-1'));
    expect(done).toEqual([]);
    vi.advanceTimersByTime(60);
    expect(done).toEqual(['kill 1']);
    director.hear(delivered(0, 'r-2'));
    vi.advanceTimersByTime(60);
    expect(director.kills).toBe(1);
  });

  test('that comes too late waits for the next invocation', () => {
    const { director, done } = stage({ kind: 'kill', ...now });
    director.hear(delivered(1, 'r-1'));
    director.hear(answered(1, 'r-1'));
    vi.advanceTimersByTime(60);
    expect(done).toEqual([]);
    director.hear(delivered(0, 'r-2'));
    vi.advanceTimersByTime(60);
    expect(done).toEqual(['kill 0']);
  });

  test('is not due before so many messages are acknowledged', () => {
    const { director, done } = stage({ kind: 'kill', dueAt: 3, fraction: 0 });
    director.hear(delivered(0, 'r-1'));
    director.hear(answered(0, 'r-1', 2));
    director.hear(delivered(0, 'r-2'));
    vi.advanceTimersByTime(200);
    expect(done).toEqual([]);
    director.hear(answered(0, 'r-2'));
    director.hear(delivered(0, 'r-3'));
    vi.advanceTimersByTime(1);
    expect(done).toEqual(['kill 0']);
  });

  test('does not wait behind a pause that has to wait', () => {
    const pause: Mischief = { kind: 'pause', ...now };
    const { director, done } = stage(pause, pause, { kind: 'kill', ...now });
    director.hear(delivered(0, 'r-1'));
    vi.advanceTimersByTime(60);
    director.hear(delivered(1, 'r-2'));
    vi.advanceTimersByTime(60);
    expect(done).toEqual(['pause 0', 'kill 1']);
  });

  test('spares a second copy, which comes alone', () => {
    const { director, done } = stage({ kind: 'kill', ...now });
    director.hear(delivered(0, 'r-1', true));
    vi.advanceTimersByTime(200);
    expect(done).toEqual([]);
  });
});

describe('a pause', () => {
  test('ends by itself, between the least and the most', () => {
    const { director, done } = stage({ kind: 'pause', ...now });
    director.hear(delivered(0, 'r-1'));
    vi.advanceTimersByTime(60);
    expect(done).toEqual(['pause 0']);
    vi.advanceTimersByTime(5_900);
    expect(done).toHaveLength(1);
    vi.advanceTimersByTime(200);
    expect(done).toEqual(['pause 0', 'resume 0']);
  });

  test('leaves half of the workers awake', () => {
    const { director, done } = stage({ kind: 'pause', ...now }, { kind: 'pause', ...now });
    director.hear(delivered(0, 'r-1'));
    director.hear(delivered(1, 'r-2'));
    vi.advanceTimersByTime(60);
    expect(done).toEqual(['pause 0']);
  });

  test('ends when the director stops', () => {
    const { director, done } = stage({ kind: 'pause', ...now });
    director.hear(delivered(0, 'r-1'));
    vi.advanceTimersByTime(60);
    director.stop();
    expect(done).toEqual(['pause 0', 'resume 0']);
  });
});

describe('a named point', () => {
  test('arms every worker, and disarms them when one has struck', () => {
    const { director, done } = stage({ kind: 'crash', point: 'after-claim', ...now });
    director.hear(delivered(0, 'r-1'));
    expect(done).toEqual(['arm 0 after-claim', 'arm 1 after-claim']);
    director.hear(crashedAt(1, 'after-claim'));
    expect(done.slice(2)).toEqual(['arm 0 ', 'arm 1 ']);
    expect(director.crashes.get('after-claim')).toBe(1);
  });

  test('arms a fresh worker too, as long as it is due', () => {
    const { director, done } = stage({ kind: 'crash', point: 'parking', ...now });
    const ready: RunnerEvent = { type: 'worker-ready', worker: 1, pid: 7 };
    director.hear(ready);
    expect(done).toEqual([]);
    director.hear(delivered(0, 'r-1'));
    director.hear(ready);
    expect(done.at(-1)).toBe('arm 1 parking');
  });

  test('stays armed for as many times as it is due', () => {
    const crash: Mischief = { kind: 'crash', point: 'parking', ...now };
    const { director, done } = stage(crash, crash);
    director.hear(delivered(0, 'r-1'));
    director.hear(crashedAt(0, 'parking'));
    expect(done.at(-1)).toBe('arm 1 parking');
    director.hear(crashedAt(1, 'parking'));
    expect(done.at(-1)).toBe('arm 1 ');
  });

  test('after the answer is the director’s own to strike at', () => {
    const { director, done } = stage({ kind: 'crash', point: 'after-answer', ...now });
    director.hear(delivered(0, 'r-1'));
    director.hear(answered(0, 'r-1'));
    expect(done.at(-1)).toBe('kill 0');
    expect(director.crashes.get('after-answer')).toBe(1);
    expect(director.kills).toBe(0);
  });
});

test('a fault of the network meets the next call to the table or, less often, to the queue', () => {
  const { director, done } = stage(
    { kind: 'drop', dueAt: 0, fraction: 0.1 },
    { kind: 'delay', dueAt: 0, fraction: 0.9 },
  );
  director.hear(delivered(0, 'r-1'));
  expect(done).toEqual(['drop-reply dynamo', 'delay sqs']);
});

describe('a pause before an outcome', () => {
  const asleep = (worker: number): RunnerEvent => ({
    type: 'step',
    worker,
    step: { type: 'sqs-once', asleep: true },
  });

  const completed = (worker: number, messageId: string): RunnerEvent => ({
    type: 'step',
    worker,
    step: { type: 'sqs-once', event: 'completed', at: 0, messageId },
  });

  test('is that of whoever has a message that comes again, and ends when another has finished it', () => {
    const { director, done } = stageWith(true, [{ kind: 'pause', ...now }]);
    director.hear(delivered(1, 'r-2', true));
    expect(done).toEqual([]);
    director.hear(delivered(0, 'r-1'));
    expect(done).toEqual(['sing to 0 of m-1']);
    director.hear(asleep(0));
    expect(done.slice(1)).toEqual(['pause 0']);
    director.hear(completed(1, 'm-2'));
    vi.advanceTimersByTime(9_000);
    expect(done.slice(1)).toEqual(['pause 0']);
    director.hear(completed(1, 'm-1'));
    expect(done.slice(1)).toEqual(['pause 0', 'resume 0']);
    director.hear(completed(0, 'm-1'));
    vi.advanceTimersByTime(60_000);
    expect(done).toHaveLength(3);
    expect(director.pauses).toBe(1);
  });

  test('ends some time when nobody ever finishes it', () => {
    const { director, done } = stageWith(true, [{ kind: 'pause', ...now }]);
    director.hear(delivered(0, 'r-1'));
    director.hear(asleep(0));
    vi.advanceTimersByTime(60_000);
    expect(done.slice(1)).toEqual(['pause 0', 'resume 0']);
  });

  test('is another worker’s when the one it was meant for has ended or answered', () => {
    const { director, done } = stageWith(true, [{ kind: 'pause', ...now }]);
    const dead: RunnerEvent = { type: 'worker-ended', worker: 0, pid: 1, code: null, signal: 'SIGKILL' };
    for (const [round, end] of [dead, answered(0, 'r-2'), dead].entries()) {
      director.hear(delivered(0, `r-${2 * round}`));
      director.hear(end);
    }
    expect(done).toEqual(Array(3).fill('sing to 0 of m-1'));
  });

  test('is any moment’s where none can be overtaken', () => {
    const { director, done } = stageWith(false, [{ kind: 'pause', ...now }]);
    director.hear(delivered(0, 'r-1'));
    vi.advanceTimersByTime(200);
    expect(done).toEqual(['pause 0']);
  });

  test('has a place kept for it', () => {
    const { director, done } = stageWith(true, [
      { kind: 'pause', dueAt: 0, fraction: 0.9 },
      { kind: 'pause', ...now },
    ]);
    director.hear(delivered(0, 'r-1'));
    director.hear(delivered(1, 'r-2'));
    vi.advanceTimersByTime(200);
    expect(done).toEqual(['sing to 0 of m-1']);
  });
});
