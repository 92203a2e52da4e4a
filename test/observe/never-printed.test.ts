// Keys are told hashed, bodies and receipt handles never, on any level and in any error. Every test of the suite is
// held to it by test/support/overhear.ts; here every way to fail is gone once, with a body and a key that show.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as otel from '@opentelemetry/api';
import { describe, expect, test, vi } from 'vitest';
import type { Attempt } from '../../lib/handle/attempt.ts';
import { PoisonMessageError, RetryLaterError, stateMachine } from '../../lib/index.ts';
import { logTo } from '../../lib/observe/log.ts';
import { traceTo } from '../../lib/observe/trace.ts';
import type { ConsumerOptions, Message } from '../../lib/options.ts';
import { awsError } from '../support/faulty-table.ts';
import { eventKinds } from '../support/http-events.ts';
import { everythingIn, failWhereItLeaked, leaksOf } from '../support/overhear.ts';
import { keyed, receiver } from '../support/receiver-rig.ts';
import { again, fifoRecord, record } from '../support/records.ts';
import { middys, type World, wholeEvent, world } from '../support/rig.ts';
import { unprintable, unprintableIn } from '../support/unprintable.ts';

const muffled = () => {
  for (const level of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
};

describe('what is printed is heard', () => {
  const secret = unprintable('card');

  test.each<[string, () => unknown, string]>([
    ['a text on the console', () => console.log(`it was ${secret}`), 'console.log'],
    [
      'deep inside what is logged',
      () => console.warn({ a: { b: { c: { d: { secret } } } } }),
      'console.warn',
    ],
    ['the last cause of an error', () => console.error(deepError(secret)), 'console.error'],
    ['a stream of the process', () => process.stderr.write(`${secret}\r`), 'stderr'],
    ['a child of the process', () => child(`console.error('${secret}')`), `stderr of ${process.execPath}`],
  ])('%s', async (_, say, where) => {
    muffled();
    expect(await leaksOf(say)).toContainEqual({ where, what: secret });
  });

  test('and fails the test in which it was said, by its name', () => {
    muffled();
    console.log(secret);
    expect(failWhereItLeaked).toThrow(/console\.log said "never-print-card" during ".*by its name"/);
    expect(failWhereItLeaked).not.toThrow();
  });

  test('an observer that tells the body, the key and the receipt handle', async () => {
    muffled();
    const w = world();
    const deliver = w.consumer(
      ({ body, key, record: { receiptHandle } }: Message) => {
        console.info('handling', key, body, receiptHandle);
      },
      { key: () => unprintable('order-17') } as never,
    );
    const leaks = await leaksOf(() => deliver([record('m1')]));
    expect(leaks.map(({ what }) => what)).toEqual([
      unprintable('order-17'),
      unprintable('body-of-m1'),
      'receipt handle of m1',
    ]);
  });
});

/** A world in which everything is observed by all we have. */
function observedWorld(options = {}) {
  const w = world(options);
  const observers = [w.seen.observer, logTo(console), traceTo(otel)];
  return { w, observers };
}

type Handler = (message: Message<{ id: string; note: string }>, attempt: Attempt) => unknown;

interface Way {
  readonly options?: Partial<ConsumerOptions<never>>;
  readonly body?: unknown;
  readonly handler?: Handler;
  readonly before?: (w: World) => void;
  readonly receives?: number;
}

const secretTable = 'ledger';
const throwing = (error: unknown) => () => {
  throw error;
};
/** What AWS answers may quote what it was sent. */
const quoting = (name: string) =>
  Object.assign(awsError(name), { $metadata: {}, CancellationReasons: [{ Code: 'None' }] });

const ways: Readonly<Record<string, Way>> = {
  'a body that is no JSON': { body: unprintable('{"cut') },
  'a body whose JSON breaks off': { body: `{"card":"${unprintable('4242')}"` },
  'a parser that quotes': {
    options: { parse: (text: string) => throwing(new SyntaxError(`what is ${text}?`))() } as never,
  },
  'a schema that quotes': {
    options: {
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: { note: string }) => ({
            issues: [{ message: `not ${value.note}`, path: ['note'] }],
          }),
        },
      },
    } as never,
  },
  'a schema that names a place by what stands there': {
    options: {
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => ({ issues: [{ message: 'no', path: ['cards', { key: unprintable('4242') }] }] }),
        },
      },
    } as never,
  },
  'a key that is none': { options: { key: () => ({ no: unprintable('key') }) } as never },
  'a key too long': { options: { key: () => unprintable('k').repeat(200) } as never },
  'a handler that fails': { handler: throwing(new TypeError('no stock')) },
  'the last attempt': { handler: throwing(new TypeError('no stock')), options: { maxAttempts: 1 } },
  poison: { handler: throwing(new PoisonMessageError('never')) },
  later: { handler: throwing(new RetryLaterError({ afterSeconds: 5 })) },
  'the last delivery': { handler: throwing(new Error('no stock')), receives: 5 },
  'an outcome too large': { handler: ({ body }) => `${body.note}`.padEnd(400_000) },
  'an outcome that is no JSON': {
    handler: ({ body }) => {
      const cyclic: Record<string, unknown> = { body };
      return Object.assign(cyclic, { cyclic });
    },
  },
  'a write twice': {
    handler: ({ body }, { transaction }) => {
      const Key = { id: body.note };
      transaction.delete({ TableName: secretTable, Key });
      transaction.delete({ TableName: secretTable, Key });
    },
  },
  'a write DynamoDB has no type for': {
    handler: ({ body }, { transaction }) =>
      transaction.put({ TableName: secretTable, Item: { id: body.note, when: new Date(0) } }),
  },
  'a condition that does not hold': {
    handler: ({ body }, { transaction }) =>
      transaction.check({
        TableName: secretTable,
        Key: { id: body.note },
        ConditionExpression: 'attribute_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
  },
  'a step too early': {
    handler: ({ body }, { transaction }) =>
      transaction.transition({
        TableName: secretTable,
        Key: { id: body.note },
        attribute: 'state',
        machine: stateMachine({ open: ['paid'], paid: ['closed'] }),
        to: 'closed',
      }),
  },
  'a follow-up to no queue': {
    handler: ({ body }, { followUps }) => followUps.send({ queueUrl: 'nowhere', body }),
  },
  'a follow-up that is not taken': {
    handler: ({ body }, { followUps }) =>
      followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/receipts', body }),
    before: ({ sqs }) => sqs.answer('SendMessageBatch', throwing(quoting('ThrottlingException'))),
  },
  'an effect key used up': {
    handler: (_, attempt) => attempt.effectKey('', { lifetimeSeconds: -1 }),
  },
  'a dead-letter queue that refuses': {
    handler: throwing(new PoisonMessageError('never')),
    before: ({ sqs }) => sqs.answer('SendMessage', throwing(quoting('InvalidMessageContents'))),
  },
  'a visibility that is refused': {
    handler: throwing(new Error('no stock')),
    before: ({ sqs }) =>
      sqs.answer('ChangeMessageVisibilityBatch', ({ Entries }) =>
        throwing(new Error(`The input receipt handle "${Entries[0].ReceiptHandle}" is not valid`))(),
      ),
  },
  'a table that is slow': {
    before: ({ faults }) => faults.intercept(throwing(quoting('ThrottlingException'))),
  },
  'a table that is closed': {
    before: ({ faults }) => faults.intercept(throwing(quoting('AccessDeniedException'))),
  },
  'a claim that cannot be settled': {
    before: ({ faults }) =>
      faults.intercept((call) =>
        call.purpose === 'settle' ? throwing(quoting('AccessDeniedException'))() : call.make(),
      ),
  },
  'a hook that fails': { options: { onDuplicate: throwing(new Error('no such customer')) } as never },
};

describe('whatever happens to a message,', () => {
  test.each(Object.keys(ways))('%s tells nothing of it', async (name) => {
    muffled();
    const { options, body, handler = () => 'done', before, receives = 1 } = ways[name] as Way;
    const { w, observers } = observedWorld();
    before?.(w);
    const key = ({ body: { id } }: { body: { id: string } }) => unprintable(id);
    const deliver = w.consumer(handler as never, { key, observers, ...options } as never);
    const message = record('m1', { receives, ...(body === undefined ? {} : { body }) });
    const thrown: unknown[] = [];
    for (const delivery of [message, again(message), again(message)]) {
      const answer = deliver([delivery, record('m2')], w.clock.context(9_000));
      await w.clock.until(answer.catch((error) => thrown.push(error)));
    }
    expect(unprintableIn(everythingIn(thrown))).toEqual([]);
    expect(w.seen.events).not.toEqual([]);
    const told = w.rows().map(({ lastError, reason }) => `${lastError} ${reason}`);
    expect(unprintableIn(told.join())).toEqual([]);
  });

  test('another payload, another copy, a group that waits and a running one tell nothing of it', async () => {
    muffled();
    const { w, observers } = observedWorld();
    const deliver = w.consumer(() => w.clock.wait(3_000), {
      key: () => unprintable('one'),
      observers,
    } as never);
    const both = Promise.all([
      deliver([record('m1'), record('m2'), record('m1')]),
      deliver([again(record('m1'))]),
    ]);
    await w.clock.until(both);
    const hold = w.consumer(
      throwing(new Error('no stock')) as never,
      { fifoPoison: 'hold', observers } as never,
    );
    await hold([fifoRecord('a1', { receives: 4 }), fifoRecord('a2')]);
    expect(w.seen.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['key-reused', 'duplicate', 'in-flight', 'failed', 'unstarted']),
    );
  });

  test.each(middys)(
    'a handler of whole events that fails tells nothing of it, under %s',
    async (_, middy) => {
      muffled();
      const { w, observers } = observedWorld();
      const deliver = wholeEvent(middy, w.options({ observers }), throwing(new Error('no stock')));
      const [thrown] = await Promise.allSettled([deliver([record('m1'), record('m2')])]);
      expect(unprintableIn(everythingIn(thrown))).toEqual([]);
      expect(w.seen.of('failed')).toHaveLength(2);
    },
  );
});

describe('whatever happens to a request,', () => {
  const asked = { ...keyed('k1'), body: JSON.stringify({ card: unprintable('4242') }) };

  test.each(eventKinds)('nothing of it is told but to its sender, behind a %s', async (kind) => {
    muffled();
    const { w, observers } = observedWorld();
    let fails = true;
    const ask = receiver(w, () => (fails ? throwing(new Error('no stock'))() : { statusCode: 201 }), {
      kind,
      observers,
    });
    await expect(ask(asked)).rejects.toThrow('no stock');
    fails = false;
    for (const status of [201, 201]) expect((await ask(asked)).status).toBe(status);
    const reused = await ask({ ...asked, body: '{}' });
    expect(reused.status).toBe(422);
    const keyless = await ask({ body: asked.body });
    expect(keyless.status).toBe(400);
    w.faults.intercept(throwing(quoting('ThrottlingException')));
    const unavailable = await w.clock.until(ask(asked));
    for (const answer of [reused, keyless, unavailable])
      expect(unprintableIn(everythingIn(answer))).toEqual([]);
    expect(w.seen.events).not.toEqual([]);
  });
});

function deepError(secret: string): Error {
  return new Error('outside', { cause: new Error('inside', { cause: { secret } }) });
}

async function child(program: string): Promise<void> {
  const running = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.stderr.resume();
  await once(running, 'close');
}
