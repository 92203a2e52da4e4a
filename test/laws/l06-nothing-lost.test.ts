/**
 * L6, nothing lost: a message is acknowledged only when `completed` or `rejected` is recorded and its follow-ups
 * are sent, or the dead-letter queue has accepted that very message. One exception, for L4's sake: user code
 * succeeded, nothing is pending, and the table could not be told.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import { PoisonMessageError, RetryLaterError } from '../../lib/errors.ts';
import type { Attempt } from '../../lib/handle/attempt.ts';
import type { Message } from '../../lib/options.ts';
import { awsError, type TableCall } from '../support/faulty-table.ts';
import { again, failedIds, record } from '../support/records.ts';
import { type World, type WorldOptions, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

type Deed = 'returns' | 'writes' | 'sends' | 'throws' | 'poison' | 'later' | 'ignores its signal';

const deeds: readonly Deed[] = [
  'returns',
  'writes',
  'sends',
  'throws',
  'poison',
  'later',
  'ignores its signal',
];

/** What goes wrong with each call in turn: nothing, it never lands, or it lands and its reply is lost. */
type Mishap = 'none' | 'throttled' | 'reply lost';

interface Script {
  readonly deeds: readonly Deed[];
  readonly table: readonly Mishap[];
  readonly queue: readonly boolean[];
}

const script: fc.Arbitrary<Script> = fc.record({
  deeds: fc.array(fc.constantFrom(...deeds), { minLength: 1, maxLength: 6 }),
  table: fc.array(fc.constantFrom<Mishap>('none', 'none', 'throttled', 'reply lost'), {
    minLength: 7,
    maxLength: 23,
  }),
  queue: fc.array(fc.boolean(), { minLength: 5, maxLength: 13 }),
});

async function everyAcknowledgementHasItsReason(
  twin: WorldOptions,
  { deeds, table, queue }: Script,
): Promise<void> {
  const w = world({ ...twin, sqs: { maxReceiveCount: 1_000 } });
  const succeeded = new Set<string>();
  const accepted = { followUps: new Set<string>(), parked: new Set<string>() };
  let faulty = true;
  let calls = 0;
  w.faults.intercept(async (call: TableCall) => {
    calls += 1;
    const mishap = faulty ? table[calls % table.length] : 'none';
    if (mishap === 'throttled') throw awsError('ThrottlingException');
    const answer = await call.make();
    if (mishap === 'reply lost') throw awsError('TimeoutError');
    return answer;
  });
  const takes = (call: number) => !faulty || queue[call % queue.length] === true;
  w.sqs.answer('SendMessage', ({ MessageBody }, call) => {
    if (!takes(call)) throw awsError('ServiceUnavailable');
    accepted.parked.add(JSON.parse(MessageBody).id);
    return { MessageId: `parked-${call}` };
  });
  w.sqs.answer('SendMessageBatch', ({ Entries }, call) => {
    if (!takes(call))
      return { Failed: Entries.map(({ Id }: { Id: string }) => ({ Id, Code: 'InternalError' })) };
    for (const { MessageBody } of Entries) accepted.followUps.add(MessageBody);
    return { Successful: Entries.map(({ Id }: { Id: string }) => ({ Id })) };
  });
  const deliver = w.consumer(
    async ({ record: { messageId } }: Message, attempt: Attempt) => {
      const deed = deeds[Number(messageId.slice(1))];
      if (deed === 'throws') throw new Error('no luck');
      if (deed === 'poison') throw new PoisonMessageError('never');
      if (deed === 'later' && faulty) throw new RetryLaterError({ afterSeconds: 1 });
      if (deed === 'ignores its signal' && faulty) return new Promise(() => {});
      if (deed === 'writes') attempt.transaction.put({ TableName: 'ledger', Item: { id: messageId } });
      if (deed === 'sends')
        attempt.followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next', body: messageId });
      succeeded.add(messageId);
      return undefined;
    },
    { backoff: { minSeconds: 1, maxSeconds: 5 }, maxAttempts: 3 },
  );

  let left: readonly SqsRecord[] = deeds.map((_, place) => record(`m${place}`));
  for (let round = 1; round <= 40 && left.length > 0; round += 1) {
    if (round > 8) faulty = false;
    const response = await w.clock.until(deliver(left, w.clock.context(8_000)));
    const failed = failedIds(response);
    for (const { messageId } of left.filter((each) => !failed.includes(each.messageId))) {
      const deed = deeds[Number(messageId.slice(1))];
      expect(reasonToAcknowledge(w, messageId, deed, succeeded, accepted), `${messageId} ${deed}`).not.toBe(
        'none',
      );
    }
    left = left.filter(({ messageId }) => failed.includes(messageId)).map((each) => again(each));
    await w.clock.pass(15_000);
  }
  // Once the faults are over, nothing stays behind.
  expect(left.map(({ messageId }) => messageId)).toEqual([]);
  expect(w.clock.timers).toBe(0);
}

function reasonToAcknowledge(
  w: World,
  messageId: string,
  deed: Deed | undefined,
  succeeded: ReadonlySet<string>,
  accepted: { readonly followUps: ReadonlySet<string>; readonly parked: ReadonlySet<string> },
): string {
  const row = w.row(messageId);
  if (accepted.parked.has(messageId)) return 'parked';
  if (!succeeded.has(messageId)) return 'none';
  const written = w.items('ledger').some(({ id }) => id?.S === messageId);
  if (deed === 'writes' && !written) return 'none';
  if (deed === 'sends' && !accepted.followUps.has(messageId)) return 'none';
  if (row?.status === 'completed' && (row.followUps?.length ?? 0) === (row.followUpsSent ?? 0))
    return 'completed';
  const unrecorded = w.seen.of('outcome-unrecorded').some((event) => event.messageId === messageId);
  return unrecorded && deed !== 'writes' && deed !== 'sends' ? 'unrecorded' : 'none';
}

const always = (twin: WorldOptions, seed?: number) =>
  fc.assert(
    fc.asyncProperty(script, (given) => everyAcknowledgementHasItsReason(twin, given)),
    { numRuns: 60, ...(seed === undefined ? {} : { seed, endOnFailure: true }) },
  );

it('every acknowledgement has its reason, whatever goes wrong', () => always({}));

describe('a twin that acknowledges without a reason is caught', () => {
  it('when follow-ups were not sent', async () => {
    const sendRecordedFollowUps = async () => true;
    await caught(
      always({ engine: await engineWithout('settle/recorded-follow-ups.ts', { sendRecordedFollowUps }) }, 1),
    );
  });

  it('when the dead-letter queue did not take the message', async () => {
    const real = await import('../../lib/settle/park-message.ts');
    const parkMessage: typeof real.parkMessage = async (...given) => {
      await real.parkMessage(...given);
      return { status: 'acknowledged', outcome: () => ({ status: 'parked' }) };
    };
    await caught(always({ engine: await engineWithout('settle/park-message.ts', { parkMessage }) }, 2));
  });

  it('when the outcome was written nowhere', () =>
    caught(always({ store: (store) => ({ ...store, settle: async () => ({ status: 'landed' }) }) }, 3)));
});

async function pendingIsNotAcknowledged(twin: WorldOptions, deed: 'writes' | 'sends'): Promise<void> {
  const w = world(twin);
  let runs = 0;
  const deliver = w.consumer((_message: unknown, attempt: Attempt) => {
    runs += 1;
    if (deed === 'writes') attempt.transaction.put({ TableName: 'ledger', Item: { id: 'm1' } });
    else attempt.followUps.send({ queueUrl: 'https://sqs.us-east-1.amazonaws.com/0/next', body: 'm1' });
  });
  w.faults.intercept((call) => {
    if (call.purpose === 'settle' || call.purpose === 'commit') throw awsError('ThrottlingException');
    return call.make();
  });
  expect(failedIds(await w.clock.until(deliver([record('m1')], w.clock.context(10_000))))).toEqual(['m1']);
  expect(w.seen.of('outcome-unrecorded')).toEqual([]);
  w.faults.heal();
  await w.clock.pass(60_000);
  expect(failedIds(await w.clock.until(deliver([again(record('m1'))], w.clock.context(10_000))))).toEqual([]);
  expect(runs).toBe(2);
  expect(w.row('m1')?.status).toBe('completed');
}

describe.each(['writes', 'sends'] as const)('a handler that %s what the table does not take', (deed) => {
  it('is not acknowledged: nothing happened', () => pendingIsNotAcknowledged({}, deed));

  it('is not: a twin that lets it go is caught', async () => {
    const real = await import('../../lib/settle/record-outcome.ts');
    const recordOutcome: typeof real.recordOutcome = async (...given) => {
      const recorded = await real.recordOutcome(...given);
      return recorded.status === 'uncommitted'
        ? { status: 'unrecorded', settlement: { status: 'completed', settledAt: 0, expiresAt: 0 } }
        : recorded;
    };
    const engine = await engineWithout('settle/record-outcome.ts', { recordOutcome });
    await caught(pendingIsNotAcknowledged({ engine }, deed));
  });
});

it('a message whose onDuplicate hook throws comes back until it is told', async () => {
  const w = world();
  const told: string[] = [];
  const deliver = w.consumer(() => undefined, {
    onDuplicate: async ({ key }: Message) => {
      told.push(key);
      await w.clock.wait(10);
      if (told.length === 1) throw new Error('not now');
    },
  });
  expect(failedIds(await deliver([record('m1')], w.clock.context(10_000)))).toEqual([]);
  const second = deliver([again(record('m1'), 2)], w.clock.context(10_000));
  expect(failedIds(await w.clock.until(second))).toEqual(['m1']);
  const third = deliver([again(record('m1'), 3)], w.clock.context(10_000));
  expect(failedIds(await w.clock.until(third))).toEqual([]);
  expect(told).toEqual(['m1', 'm1']);
  expect(w.seen.story('m1')).toEqual(['claimed', 'completed', 'failed', 'duplicate']);
});

it('a message whose onDuplicate hook hangs comes back', async () => {
  const w = world();
  const deliver = w.consumer(() => undefined, { onDuplicate: () => new Promise(() => {}) });
  expect(failedIds(await deliver([record('m1')], w.clock.context(10_000)))).toEqual([]);
  const second = deliver([again(record('m1'), 2)], w.clock.context(10_000));
  expect(failedIds(await w.clock.until(second))).toEqual(['m1']);
});
