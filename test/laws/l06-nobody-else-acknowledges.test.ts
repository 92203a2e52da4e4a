/**
 * L6, nothing lost, under Middy: nobody but the consumer acknowledges its messages. Lambda takes any answer
 * without failures for "all done", and any middleware can give one.
 */
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../../lib/arrive/record.ts';
import * as product from '../../lib/consumer.ts';
import type { guardResponse } from '../../lib/guarded-response.ts';
import type { MiddlewareRequest } from '../../lib/withheld.ts';
import { awsError } from '../support/faulty-table.ts';
import { record } from '../support/records.ts';
import { type Engine, type Middy, middys, world } from '../support/rig.ts';
import { caught, engineWithout } from '../support/twins.ts';

type Kind = 'eachMessage' | 'whole event';
type Hook = (request: MiddlewareRequest) => unknown;
type Hooks = { readonly before?: Hook; readonly after?: Hook; readonly onError?: Hook };

const done = { statusCode: 200 };
const answers = (request: MiddlewareRequest) => {
  request.response = done;
};
const throws = () => {
  throw new Error('thrown');
};

/** What stands around ours, and whether all that the messages' handler does is fail. */
const intruders: readonly (readonly [string, Kind, { readonly outside?: Hooks; readonly inside?: Hooks }])[] =
  [
    ['an early answer before the handler', 'eachMessage', { inside: { before: () => done } }],
    ['an early answer after the handler', 'eachMessage', { inside: { after: () => done } }],
    [
      'an answer in the place of an error behind ours',
      'eachMessage',
      { inside: { before: throws, onError: () => done } },
    ],
    ['another answer outside', 'eachMessage', { outside: { after: answers } }],
    ['another answer outside', 'whole event', { outside: { after: answers } }],
    [
      'an error swallowed outside',
      'eachMessage',
      { inside: { after: throws }, outside: { onError: answers } },
    ],
    [
      'an error swallowed outside',
      'whole event',
      { inside: { after: throws }, outside: { onError: () => done } },
    ],
  ];

async function nobodyElseAnswers(
  engine: Engine,
  middy: Middy,
  kind: Kind,
  { outside, inside }: { readonly outside?: Hooks; readonly inside?: Hooks },
): Promise<void> {
  const w = world();
  const consumer = engine.idempotentConsumer(w.options());
  const fails = () => {
    throw new Error('fails');
  };
  const handler =
    kind === 'eachMessage'
      ? consumer.eachMessage(fails)
      : ({ Records }: { Records: SqsRecord[] }) => Promise.allSettled(Records.map(async () => fails()));
  const stacked = middy(handler as never);
  for (const each of [outside, consumer, inside]) if (each !== undefined) stacked.use(each as never);
  const event = () => ({ Records: [record('m1'), record('m2')] }) as never;
  const failed = { batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm2' }] };
  const answer = await (stacked(event(), w.clock.context(9_000) as never) as Promise<unknown>).catch(
    () => failed,
  );
  expect(answer).toEqual(failed);
  // The same when the table fails the invocation as a whole.
  w.faults.intercept(() => Promise.reject(awsError('AccessDeniedException')));
  const other = await (stacked(event(), w.clock.context(9_000) as never) as Promise<unknown>).catch(
    () => failed,
  );
  expect(other).toEqual(failed);
}

describe.each(middys)('under %s', (_, middy) => {
  it.each(intruders)('%s (%s) acknowledges nothing', (_name, kind, around) =>
    nobodyElseAnswers(product, middy, kind, around),
  );

  it.each(intruders)(
    '%s (%s): an engine that does not hold on to its answer is caught',
    async (_name, kind, around) => {
      const open: typeof guardResponse = (request) => ({
        answer: (response) => {
          if (response !== undefined) request.response = response;
        },
        letGo: () => {},
      });
      const engine = await engineWithout('guarded-response.ts', { guardResponse: open });
      await caught(nobodyElseAnswers(engine, middy, kind, around));
    },
  );
});

/** The second time it would be handed the event it had emptied the first time, and acknowledge all of it. */
describe.each(middys)('a middleware that is used twice, under %s', (_, middy) => {
  it.each(['eachMessage', 'whole event'] as const)('fails the invocation, with %s', async (kind) => {
    const w = world();
    let runs = 0;
    const work = () => {
      runs += 1;
    };
    const consumer = product.idempotentConsumer(w.options());
    const handler = middy((kind === 'eachMessage' ? consumer.eachMessage(work) : work) as never);
    for (const each of [consumer, consumer]) handler.use(each as never);
    const answer = handler({ Records: [record('m1')] } as never, {} as never) as Promise<unknown>;
    await expect(answer).rejects.toThrow('used twice for one handler');
    expect(runs).toBe(0);
  });
});
