import type { SqsBatchResponse, SqsRecord } from '../../../lib/arrive/record.ts';
import type { Consumer } from '../../../lib/consume-event.ts';
import type { InvocationContext } from '../../../lib/handle/deadline.ts';
import type { Process } from './process.ts';
import type { Script } from './script.ts';
import type { Body } from './service.ts';
import type { World } from './world.ts';

/** A handler as it is deployed. */
export type Deployed = (
  records: readonly SqsRecord[],
  context: InvocationContext | undefined,
) => Promise<SqsBatchResponse>;

/** User code is called for each message. */
export function eachMessage(
  { engine, clerk }: World,
  process: Process,
  consumer: Consumer<Body>,
  script: Script,
): Deployed {
  return (records, context) =>
    engine.consumeEvent(consumer, records, context, (message, attempt) => {
      clerk.keySeen(process, message);
      return script(message.record, message.body, attempt);
    });
}

/** Middy's early end of a handler that takes too long, this long before the time is up. */
const earlyMillis = 5;

/** User code is called once for a whole event, under the middleware, as Middy would do it. */
export function wholeEvent(
  { engine, plan }: World,
  process: Process,
  consumer: Consumer<Body>,
  script: Script,
): Deployed {
  const middleware = new engine.WholeEvents(consumer as Consumer<unknown>);
  const run = async (record: SqsRecord) =>
    script(record, JSON.parse(record.body) as Body, engine.attemptFor(record));
  const handler = async (records: readonly SqsRecord[]) => {
    if (!plan.fifo) return Promise.allSettled(records.map(run));
    const results: PromiseSettledResult<unknown>[] = [];
    for (const record of records) results.push(...(await Promise.allSettled([run(record)])));
    return results;
  };
  return async (records, context) => {
    const request = {
      event: { Records: [...records] },
      context,
      response: undefined as unknown,
      error: undefined as unknown,
    };
    const early = await middleware.before(request);
    if (early !== undefined) return early;
    try {
      request.response = await inTime(process, context, handler(request.event.Records));
    } catch (error) {
      request.error = error;
      await middleware.onError(request);
      throw error;
    }
    await middleware.after(request);
    return request.response as SqsBatchResponse;
  };
}

function inTime<Value>(
  process: Process,
  context: InvocationContext | undefined,
  work: Promise<Value>,
): Promise<Value> {
  const leftMillis = context?.getRemainingTimeInMillis?.();
  if (leftMillis === undefined) return work;
  return new Promise((resolve, reject) => {
    const cancel = process.after(leftMillis - earlyMillis, () => reject(timeoutOfMiddy()));
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}

function timeoutOfMiddy(): Error {
  const error = new Error('[AbortError]: The operation was aborted.', { cause: { package: '@middy/core' } });
  return Object.assign(error, { name: 'TimeoutError' });
}
