// Every event is published on Node's diagnostics channel `sqs-once`, whatever observers a consumer was given.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { consumeOnce, type OnceEvent } from '../../lib/index.ts';
import { memoryClaims, sqsEvent } from '../../lib/testing.ts';

const handler = () =>
  consumeOnce({ scope: 'tea', claims: memoryClaims(), partialResponses: true }, async () => 'poured');

async function overheard(run: () => Promise<unknown>): Promise<OnceEvent[]> {
  const events: OnceEvent[] = [];
  const listen = (event: unknown) => void events.push(event as OnceEvent);
  subscribe('sqs-once', listen);
  try {
    await run();
  } finally {
    unsubscribe('sqs-once', listen);
  }
  return events;
}

test('an instrument hears the steps of a consumer that knows nothing of it', async () => {
  const events = await overheard(() => handler()(sqsEvent([{ body: { cup: 1 } }])));
  expect(events.map(({ type }) => type)).toEqual([
    'claiming',
    'claimed',
    'starting',
    'settling',
    'completed',
    'answering',
  ]);
  expect(events[1]).toMatchObject({ scope: 'tea', messageId: 'message-1', attempt: 1, fence: 1 });
});

test('an event carries neither body nor receipt handle', async () => {
  const events = await overheard(() => handler()(sqsEvent([{ body: { cup: 'brimful' } }])));
  expect(events).not.toHaveLength(0);
  expect(JSON.stringify(events)).not.toMatch(/brimful|receipt handle of/);
});

test('an instrument that left hears nothing more', async () => {
  const events = await overheard(async () => {});
  await handler()(sqsEvent([{ body: { cup: 1 } }]));
  expect(events).toEqual([]);
});
