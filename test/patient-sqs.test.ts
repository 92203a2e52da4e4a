/** Outside Lambda no deadline ends an invocation, so no call to SQS may wait for ever. */
import { expect, it } from 'vitest';
import { PoisonMessageError } from '../lib/errors.ts';
import type { Attempt } from '../lib/handle/attempt.ts';
import { patientSqs } from '../lib/patient-sqs.ts';
import { fakeSqs } from './support/fake-sqs.ts';
import { handClock } from './support/hand-clock.ts';
import { failedIds, record } from './support/records.ts';
import { world } from './support/rig.ts';

const silence = () => new Promise<never>(() => {});
const queueUrl = 'https://sqs.us-east-1.amazonaws.com/0/next';

it('a dead-letter queue that says nothing gets the message later', async () => {
  const w = world();
  w.sqs.answer('SendMessage', silence);
  const deliver = w.consumer(() => {
    throw new PoisonMessageError('no such currency');
  });
  expect(failedIds(await w.clock.until(deliver([record('m1')])))).toEqual(['m1']);
  expect(w.seen.story('m1').at(-1)).toBe('park-failed');
  expect(w.clock.timers).toBe(0);
});

it('a queue that says nothing to a follow-up gets it later', async () => {
  const w = world();
  w.sqs.answer('SendMessageBatch', silence);
  const deliver = w.consumer((_message: unknown, attempt: Attempt) =>
    attempt.followUps.send({ queueUrl, body: 'next' }),
  );
  expect(failedIds(await w.clock.until(deliver([record('m1')])))).toEqual(['m1']);
  expect(w.row('m1')).toMatchObject({ status: 'completed', followUps: [expect.any(String)] });
  expect(w.clock.timers).toBe(0);
});

it('a client that ignores its signal is left behind all the same, and an answer leaves nothing behind', async () => {
  const clock = handClock();
  const sqs = patientSqs({ send: silence } as never, clock.ambient, 5_000);
  const controller = new AbortController();
  const sent = sqs.send({} as never, { abortSignal: controller.signal });
  controller.abort(new Error('the time is up'));
  await expect(sent).rejects.toThrow('the time is up');
  expect(clock.timers).toBe(0);

  const fake = fakeSqs();
  fake.answer('Object', () => ({ MessageId: 'sent' }));
  await expect(patientSqs(fake as never, clock.ambient, 5_000).send({} as never)).resolves.toEqual({
    MessageId: 'sent',
  });
  expect(clock.timers).toBe(0);
});
