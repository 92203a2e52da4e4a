/**
 * An attempt after one whose end is unknown runs alone in its process, so that a crash is charged to the message
 * that caused it.
 */
import { describe, expect, it } from 'vitest';
import { consumeOnce, idempotentConsumer } from '../../lib/consumer.ts';
import { attemptFor } from '../../lib/handle/attempts.ts';
import { createGate } from '../../lib/handle/gate.ts';
import type { Message } from '../../lib/options.ts';
import { again, failedIds, fifoRecord, record } from '../support/records.ts';
import { faces, middys, type World, type WorldOptions, wholeEvent, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

/** Rows as a killed worker leaves them. */
function abandon(w: World, ...keys: string[]): void {
  const nowMillis = w.clock.wallMillis();
  for (const key of keys) {
    w.seed({
      claim: `${w.scope}#${key}`,
      status: 'leased',
      fence: 1,
      owner: 'killed',
      attempts: 1,
      claimedAt: nowMillis - 60_000,
      firstClaimedAt: nowMillis - 60_000,
      leaseEndsAt: nowMillis - 30_000,
      expiresAt: nowMillis / 1_000 + 86_400,
      messageId: key,
    });
  }
}

/** Who ran beside whom. */
function company(w: World) {
  const running = new Set<string>();
  const beside = new Map<string, Set<string>>();
  return {
    beside,
    async run(key: string, millis = 100): Promise<void> {
      running.add(key);
      for (const one of running) beside.set(one, new Set([...(beside.get(one) ?? []), ...running]));
      await w.clock.wait(millis);
      running.delete(key);
    },
  };
}

async function abandonedOnesRunAlone(twin: WorldOptions, face: (typeof faces)[number]): Promise<void> {
  const w = world(twin);
  abandon(w, 'm2', 'm4');
  const { beside, run } = company(w);
  const deliver = w.consumer(({ key }: Message) => run(key), {}, face);
  const messages = ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => record(id, { receives: 2 }));
  // Another invocation runs in the same process meanwhile.
  const other = deliver([record('n1')], w.clock.context(30_000));
  expect(failedIds(await w.clock.until(deliver(messages, w.clock.context(30_000))))).toEqual([]);
  expect(failedIds(await w.clock.until(other))).toEqual([]);
  expect([...(beside.get('m2') ?? [])]).toEqual(['m2']);
  expect([...(beside.get('m4') ?? [])]).toEqual(['m4']);
  expect([...(beside.get('m1') ?? [])].sort()).toEqual(['m1', 'm3', 'm5', 'n1']);
  expect(w.seen.of('taken-over')).toMatchObject([{ attempt: 2 }, { attempt: 2 }]);
  expect(w.clock.timers).toBe(0);
}

describe.each(faces)('behind %s', (face) => {
  it('an abandoned message waits for its neighbours, and they for it', () => abandonedOnesRunAlone({}, face));
});

it('an engine whose gate is open is caught', async () => {
  const open = { enter: async () => () => {}, inside: (userCode: () => unknown) => userCode() };
  await caught(
    abandonedOnesRunAlone(
      { engine: await engineWithout('handle/gate.ts', { processGate: open }) },
      'consumeOnce',
    ),
  );
});

it('one that does not get its turn before the time is up goes back, not counted', async () => {
  const w = world();
  abandon(w, 'm1');
  const deliver = w.consumer(({ key }: Message) => w.clock.wait(key === 'n1' ? 60_000 : 1));
  const long = deliver([record('n1')], w.clock.context(100_000));
  const answer = deliver([record('m1')], w.clock.context(5_000));
  expect(failedIds(await w.clock.until(answer))).toEqual(['m1']);
  expect(w.row('m1')).toMatchObject({ status: 'leased', fence: 1, attempts: 1 });
  expect(w.sqs.visibility.get('receipt handle of m1')).toBe(0);
  expect(failedIds(await w.clock.until(long))).toEqual([]);
  // The place it waited for is not lost to those who come after it.
  expect(failedIds(await w.clock.until(deliver([record('n2'), again(record('m1'))])))).toEqual([]);
});

describe('the gate', () => {
  const never = new Promise<void>(() => {});

  it('admits in order of arrival, beside together and alone by itself', async () => {
    const gate = createGate();
    const log: string[] = [];
    const enter = (mode: 'beside' | 'alone', name: string) =>
      gate.enter(mode, never).then((leave) => {
        log.push(name);
        return leave;
      });
    const [first, second] = await Promise.all([enter('beside', 'b1'), enter('beside', 'b2')]);
    const alone = enter('alone', 'a');
    const late = enter('beside', 'b3');
    await Promise.resolve();
    first?.();
    first?.();
    await Promise.resolve();
    expect(log).toEqual(['b1', 'b2']);
    second?.();
    const leaveAlone = await alone;
    expect(log).toEqual(['b1', 'b2', 'a']);
    leaveAlone?.();
    (await late)?.();
    expect(log).toEqual(['b1', 'b2', 'a', 'b3']);
  });

  it('lets go of one that gives up, and of those behind it', async () => {
    const gate = createGate();
    const leave = await gate.enter('beside', never);
    const alone = gate.enter('alone', Promise.resolve());
    const behind = gate.enter('beside', never);
    expect(await alone).toBeUndefined();
    expect(await behind).toBeTypeOf('function');
    leave?.();
  });
});

describe.each(middys)('a handler that takes its event whole, under %s', (_, middy) => {
  it('gets an abandoned message as its only record; its like come back apart, the rest at once, attempts and all', async () => {
    const w = world();
    abandon(w, 'm2', 'm3');
    w.seed({
      claim: 'tests#m5',
      status: 'completed',
      fence: 1,
      owner: 'o',
      attempts: 1,
      claimedAt: 1,
      expiresAt: 3e9,
    });
    const events: string[][] = [];
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      events.push(Records.map(({ messageId }) => messageId));
      expect(attemptFor(Records[0] as never).number).toBe(events.length > 2 ? 1 : 2);
    });
    let left = ['m1', 'm2', 'm3', 'm4', 'm5'].map((id) => record(id));
    const answers: (readonly string[])[] = [];
    for (let round = 0; round < 3; round += 1) {
      const failed = failedIds(await w.clock.until(deliver(left, w.clock.context(30_000))));
      answers.push(failed);
      left = left.filter(({ messageId }) => failed.includes(messageId)).map((each) => again(each));
    }
    expect(events).toEqual([['m2'], ['m3'], ['m1', 'm4']]);
    expect(answers).toEqual([['m1', 'm3', 'm4'], ['m1', 'm4'], []]);
    // Together they would find each other again, and each round costs all of them a receive.
    const backAfter = ['m1', 'm3', 'm4'].map((id) => w.sqs.visibility.get(record(id).receiptHandle));
    expect(backAfter).toEqual([0, 1, 0]);
    expect(w.row('m1')).toMatchObject({ attempts: 1, status: 'completed' });
    expect(w.row('m3')).toMatchObject({ attempts: 2, status: 'completed' });
    expect(w.clock.timers).toBe(0);
  });

  it('waits for what runs beside it in the process', async () => {
    const w = world();
    abandon(w, 'm1');
    const { beside, run } = company(w);
    const each = w.consumer(({ key }: Message) => run(key, 5_000));
    const other = each([record('n1')], w.clock.context(30_000));
    await w.clock.pass(0);
    const deliver = wholeEvent(middy, w.options(), () => run('m1'));
    expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(30_000))))).toEqual([]);
    expect(failedIds(await w.clock.until(other))).toEqual([]);
    expect([...(beside.get('m1') ?? [])]).toEqual(['m1']);
  });

  it('in a FIFO group never runs an abandoned message before one that was sent before it', async () => {
    const w = world();
    abandon(w, 'a2');
    const events: string[][] = [];
    const deliver = wholeEvent(middy, w.options(), ({ Records }) => {
      events.push(Records.map(({ messageId }) => messageId));
    });
    let left = ['a1', 'a2', 'a3', 'b1'].map((id) => fifoRecord(id));
    for (let round = 0; round < 3; round += 1) {
      const failed = failedIds(await w.clock.until(deliver(left, w.clock.context(30_000))));
      left = left.filter(({ messageId }) => failed.includes(messageId)).map((each) => again(each));
    }
    expect(events).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
    expect(left).toEqual([]);
  });

  it('behind another consumer does not wait for it while it waits', async () => {
    const w = world();
    abandon(w, 'whole', 'each');
    const outer = idempotentConsumer(w.options({ scope: 'outer' }));
    for (const inner of ['whole', 'each']) {
      const consumer = idempotentConsumer(w.options());
      let runs = 0;
      const run = () => {
        runs += 1;
      };
      const stacked = middy((inner === 'each' ? consumer.eachMessage(run) : run) as never);
      stacked.use(outer as never);
      stacked.use(consumer as never);
      const event = { Records: [record(inner)] };
      const answer = stacked(event as never, w.clock.context(30_000) as never) as Promise<never>;
      expect(failedIds(await w.clock.until(answer))).toEqual([]);
      expect(runs).toBe(1);
      expect(w.row(inner, 'outer')?.status).toBe('completed');
      expect(w.row(inner)).toMatchObject({ status: 'completed', attempts: 2 });
    }
    expect(w.clock.timers).toBe(0);
  });
});

it('a consumer called by another consumer’s handler does not wait for that handler', async () => {
  const w = world();
  abandon(w, 'm1');
  const inner = consumeOnce(w.options(), () => 'inner');
  const outer = consumeOnce(w.options({ scope: 'outer' }), async () => {
    const { batchItemFailures } = await inner({ Records: [record('m1')] });
    expect(batchItemFailures).toEqual([]);
  });
  expect(failedIds(await w.clock.until(outer({ Records: [record('n1')] })))).toEqual([]);
  expect(w.row('m1')?.status).toBe('completed');
});
