import type { SqsRecord } from '../../../lib/arrive/record.ts';
import { PoisonMessageError, RetryLaterError } from '../../../lib/errors.ts';
import type { Attempt } from '../../../lib/handle/attempt.ts';
import { machine } from '../../support/payment-events.ts';
import type { Run } from '../facts.ts';
import type { Gateway } from './gateway.ts';
import type { Process } from './process.ts';
import type { Queue } from './queue.ts';
import type { Body } from './service.ts';
import { accountTable, ledgerTable, paymentTable } from './tables.ts';
import type { World } from './world.ts';

/** What a handler is to do beside coming to an end. */
export interface ScriptParts {
  readonly gateway: Gateway | undefined;
  readonly transactions: boolean;
  readonly transitions: boolean;
  readonly followUps: number;
  readonly followUpQueue: Queue | undefined;
}

/** User code for one message. */
export type Script = (record: SqsRecord, body: Body, attempt: Attempt) => Promise<unknown>;

/** User code as it comes: slow, failing, crashing, deaf to its signal, or simply done. */
export function scriptOf(world: World, process: Process, parts: ScriptParts): Script {
  return async (record, body, attempt) => {
    const run = world.clerk.runStarted(process, record.messageId, attempt);
    try {
      const result = await perform(world, process, parts, { record, body }, attempt, run);
      run.end = 'returned';
      return result;
    } catch (error) {
      run.end = 'threw';
      run.error = error;
      throw error;
    } finally {
      world.clerk.runEnded(run);
    }
  };
}

interface Given {
  readonly record: SqsRecord;
  readonly body: Body;
}

async function perform(
  world: World,
  process: Process,
  parts: ScriptParts,
  { record, body }: Given,
  attempt: Attempt,
  run: Run,
): Promise<unknown> {
  const { dice, faults } = world;
  const { habits, timeoutSeconds } = world.plan;
  const deaf = faults.strikes(habits.ignoresSignal);
  const longest = faults.strikes(habits.slow) || deaf ? timeoutSeconds * 2_000 : 1_000;
  const work = () => waitIn(process, dice.spread(5, longest), deaf ? undefined : attempt.signal);
  await work();
  if (parts.gateway !== undefined) {
    await parts.gateway.charge(process, run, attempt.effectKey('charge'));
    await work();
  }
  await misbehave(world, process, run);
  if (parts.transactions) collectWrites(attempt, run);
  if (parts.transactions && faults.strikes(habits.conditionFails)) refuseAll(attempt);
  if (parts.followUpQueue !== undefined)
    collectFollowUps(parts.followUpQueue, parts.followUps, { record, body }, attempt);
  if (parts.transitions) collectTransition(attempt, run, body);
  run.collected = parts.transitions || parts.transactions || parts.followUps > 0;
  return { run: run.id };
}

/** By nature always, by habit while things go wrong. */
async function misbehave(world: World, process: Process, run: Run): Promise<void> {
  const { faults, plan } = world;
  const { nature } = run.work;
  if (nature === 'poison') throw new PoisonMessageError('it can never work');
  if (nature === 'failing' || faults.strikes(plan.habits.throws)) throw new Error('it did not work');
  if (faults.strikes(plan.habits.retriesLater)) throw new RetryLaterError({ afterSeconds: 20 });
  if (nature === 'killer' || faults.strikes(plan.habits.crashes)) {
    run.end = 'crashed';
    process.crash('crashes in its handler');
    await new Promise(() => {});
  }
}

function collectWrites(attempt: Attempt, run: Run): void {
  attempt.transaction.put({ TableName: ledgerTable, Item: { entry: run.id, work: run.work.rowKey } });
  attempt.transaction.update({
    TableName: accountTable,
    Key: { account: 'all' },
    UpdateExpression: 'ADD #entries :one',
    ExpressionAttributeNames: { '#entries': 'entries' },
    ExpressionAttributeValues: { ':one': 1 },
  });
}

function collectTransition(attempt: Attempt, run: Run, { event }: Body): void {
  attempt.transaction.transition({
    TableName: paymentTable,
    Key: { payment: 'the only one' },
    attribute: 'state',
    machine,
    to: event ?? 'authorised',
    set: { by: run.id },
  });
}

/** A condition of the user's own that does not hold. */
function refuseAll(attempt: Attempt): void {
  attempt.transaction.check({
    TableName: accountTable,
    Key: { account: 'closed' },
    ConditionExpression: 'attribute_exists(#account)',
    ExpressionAttributeNames: { '#account': 'account' },
  });
}

function collectFollowUps(queue: Queue, count: number, { record, body }: Given, attempt: Attempt): void {
  for (let place = 0; place < count; place += 1) {
    attempt.followUps.send({
      queueUrl: queue.url,
      body: { work: `${body.work}.${place}`, payload: body.payload },
      ...(queue.fifo ? { groupId: record.attributes.MessageGroupId ?? 'all' } : {}),
    });
  }
}

/** A wait of user code, on its process's clock, that ends with its signal if it listens. */
function waitIn(process: Process, millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const cancel = process.after(millis, resolve);
    signal?.addEventListener(
      'abort',
      () => {
        cancel();
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
