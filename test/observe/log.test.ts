// One line for everything that became of a message, in the way of each logger.
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { Logger } from '@aws-lambda-powertools/logger';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { PoisonMessageError } from '../../lib/errors.ts';
import { type LoggerLike, logTo } from '../../lib/observe/log.ts';
import { deadLetterOf, parkedIn, redriven } from '../support/parking/dead-letters.ts';
import { keyed, receiver } from '../support/receiver-rig.ts';
import { again, record } from '../support/records.ts';
import { middys, wholeEvent, world } from '../support/rig.ts';

/** What a logger writes, line by line. */
function written(make: (into: Writable) => LoggerLike) {
  const lines: string[] = [];
  const into = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  return { logger: make(into), lines };
}

async function failThenSucceed(logger: LoggerLike): Promise<void> {
  const w = world();
  let fails = true;
  const deliver = w.consumer(
    () => {
      if (fails) throw new TypeError('no stock');
    },
    { observers: [logTo(logger)] },
  );
  await deliver([record('m1')]);
  fails = false;
  await deliver([again(record('m1'))]);
}

describe('what became of a message is one line', () => {
  test('on the console, and nothing behind it', async () => {
    const { logger, lines } = written((into) => new Console(into, into));
    await failThenSucceed(logger);
    expect(lines).toEqual([
      expect.stringMatching(
        /^sqs-once failed scope="tests" keyHash="[0-9a-f]{16}" messageId="m1" queue="test-queue" attempt=1 fence=1 error="TypeError: no stock"$/,
      ),
      expect.stringMatching(/^sqs-once completed scope="tests" .* attempt=2 fence=2$/),
    ]);
  });

  test('from pino, with its fields and its error', async () => {
    const { logger, lines } = written((into) => pino(into) as LoggerLike);
    await failThenSucceed(logger);
    const [failed, completed] = lines.map((line) => JSON.parse(line));
    expect(failed).toMatchObject({ level: 40, type: 'failed', messageId: 'm1', err: { type: 'TypeError' } });
    expect(failed.msg).toMatch(/^sqs-once failed scope="tests" .* error="TypeError: no stock"$/);
    expect(completed).toMatchObject({ level: 30, type: 'completed', attempt: 2 });
    expect(lines).toHaveLength(2);
  });

  test('from Powertools, with its fields and its error', async () => {
    const { logger, lines } = written((into) => {
      const powertools = new Logger({ serviceName: 'tests' });
      Reflect.set(powertools, 'console', new Console(into, into));
      return powertools as LoggerLike;
    });
    await failThenSucceed(logger);
    const [failed, completed] = lines.map((line) => JSON.parse(line));
    expect(failed).toMatchObject({ level: 'WARN', type: 'failed', error: { name: 'TypeError' } });
    expect(completed).toMatchObject({ level: 'INFO', type: 'completed', messageId: 'm1' });
    expect(lines).toHaveLength(2);
  });
});

describe('a logger whose methods are async and reject harms nothing,', () => {
  const rejects = () => Promise.reject(new Error('the log is gone'));
  const methods = { info: rejects, warn: rejects, error: rejects };
  test.each([
    ['a logger of its own', methods],
    ['pino', { ...methods, bindings: () => ({}) }],
    ['a console', Object.assign(new Console(process.stdout), methods)],
  ] as const)('%s', async (_, logger) => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.prependListener('unhandledRejection', hear);
    try {
      await failThenSucceed(logger as unknown as LoggerLike);
      await new Promise((resolve) => void setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', hear);
    }
    expect(unheard).toEqual([]);
  });
});

describe('a copy of a message is never silent,', () => {
  function listening() {
    const { logger, lines } = written((into) => new Console(into, into));
    const observers = [logTo(logger)];
    return { observers, of: (messageId: string) => lines.filter((line) => line.includes(`"${messageId}"`)) };
  }
  const key = () => 'one';

  test('delivered again, twice in one event, and beside a first that failed', async () => {
    const w = world();
    const { observers, of } = listening();
    let fails = true;
    const deliver = w.consumer(
      () => {
        if (fails) throw new Error('no stock');
      },
      { key, fingerprint: false, observers },
    );
    await deliver([record('m1'), record('m2')]);
    expect(of('m2')).toEqual([expect.stringMatching(/unstarted .* reason="with the first of its key"$/)]);
    fails = false;
    await deliver([record('m3'), record('m4')]);
    expect(of('m4')).toEqual([expect.stringMatching(/^sqs-once duplicate /)]);
    await deliver([again(record('m3'))]);
    expect(of('m3')).toHaveLength(2);
  });

  test('nor beside one whose parking is recorded and not yet sent', async () => {
    const w = world();
    const { observers, of } = listening();
    const deliver = w.consumer(
      () => {
        throw new PoisonMessageError('never');
      },
      { observers },
    );
    await deliver([record('m1')]);
    const [parked] = parkedIn(w);
    const letter = deadLetterOf(parked ?? { QueueUrl: '', MessageBody: '' }, 'dead-letter-1');
    w.sqs.answer('SendMessage', () => {
      throw new Error('out of order');
    });
    for (const copy of ['m2', 'm3']) await deliver([redriven(letter, copy)]);
    expect(of('m3')).toEqual([expect.stringMatching(/^sqs-once unstarted .* reason="parking"$/)]);
  });

  test.each(middys)('under a handler that takes its event whole (%s)', async (_, middy) => {
    const w = world();
    const { observers, of } = listening();
    const deliver = wholeEvent(middy, w.options({ key, fingerprint: false, observers }), () => undefined);
    await deliver([record('m1'), record('m2')]);
    expect(of('m2')).toEqual([expect.stringMatching(/^sqs-once duplicate /)]);
    await deliver([again(record('m1')), again(record('m2'))]);
    expect(of('m2')).toHaveLength(2);
  });

  test('and neither is a request that gets its answer again', async () => {
    const w = world();
    const { logger, lines } = written((into) => new Console(into, into));
    const ask = receiver(w, () => ({ statusCode: 201 }), { observers: [logTo(logger)] });
    for (let time = 0; time < 3; time += 1) await ask(keyed('k1'));
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['completed', 'duplicate', 'duplicate']);
  });
});
