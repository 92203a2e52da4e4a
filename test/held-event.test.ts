/** Whoever holds on to the event and changes it while messages run: no failed message drops out of the answer. */
import { describe, expect, it } from 'vitest';
import type { SqsRecord } from '../lib/arrive/record.ts';
import { consumeOnce, idempotentConsumer } from '../lib/consumer.ts';
import { failedIds, record } from './support/records.ts';
import { middys, world } from './support/rig.ts';

type Event = { Records: SqsRecord[] };

const edits: readonly (readonly [string, (event: Event) => void])[] = [
  ['emptied', (event) => void event.Records.splice(0)],
  ['replaced', (event) => void Object.assign(event, { Records: [] })],
  ['renamed', ({ Records: [first] }) => void Object.assign(first ?? {}, { messageId: 'other' })],
];

describe.each(edits)('the event is %s', (_, edit) => {
  const fails = () => {
    throw new Error('fails');
  };

  it('under consumeOnce', async () => {
    const w = world();
    const event: Event = { Records: [record('m1'), record('m2')] };
    const handler = consumeOnce(w.options(), () => {
      edit(event);
      fails();
    });
    expect(failedIds(await handler(event, w.clock.context(9_000)))).toEqual(['m1', 'm2']);
  });

  it.each(middys)('by a middleware before ours, under %s', async (_name, middy) => {
    const w = world();
    const event: Event = { Records: [record('m1'), record('m2')] };
    const each = idempotentConsumer(w.options());
    const handler = middy()
      .use(each)
      .handler(
        each.eachMessage(() => {
          edit(event);
          fails();
        }),
      );
    expect(failedIds((await handler(event, w.clock.context(9_000) as never)) as never)).toEqual(['m1', 'm2']);

    const whole = middy(() => {
      edit(another);
      return [];
    }).use(idempotentConsumer(w.options()));
    const another: Event = { Records: [record('m3'), record('m4')] };
    expect(failedIds((await whole(another as never, w.clock.context(9_000) as never)) as never)).toEqual([
      'm3',
      'm4',
    ]);
  });
});
