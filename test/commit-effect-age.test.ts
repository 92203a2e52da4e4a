/** Under `claim: 'with-commit'` effect keys age from the first receive, whatever became of the message since. */
import { expect, it } from 'vitest';
import { PoisonMessageError } from '../lib/errors.ts';
import type { Attempt } from '../lib/handle/attempt.ts';
import { deadLetterOf, movedBySqs, parkedIn, redriven } from './support/parking/dead-letters.ts';
import { again, record } from './support/records.ts';
import { world } from './support/rig.ts';

const hourMillis = 3_600_000;
const maxAttempts = 3;

/** A consumer whose provider remembers keys for an hour. It throws `trouble` first while there is any. */
function consumer(trouble?: Error) {
  const w = world();
  const state = { trouble };
  const deliver = w.consumer(
    (_message: unknown, attempt: Attempt) => {
      if (state.trouble !== undefined) throw state.trouble;
      attempt.effectKey('capture', { lifetimeSeconds: 3_600 });
    },
    { claim: 'with-commit', maxAttempts },
  );
  return { w, state, deliver };
}

it.each([1, maxAttempts])('no redrive makes an effect key younger, at receive %i', async (receives) => {
  const { w, state, deliver } = consumer(new PoisonMessageError('no such currency'));
  const message = record('m1');
  w.clock.jump({ wall: 2 * hourMillis });
  await deliver([again(message)]);
  state.trouble = undefined;
  const [parked] = parkedIn(w);
  if (parked === undefined) throw new Error('nothing was parked');
  const sentAt = new Date(w.clock.wallMillis());
  await deliver([redriven(deadLetterOf(parked, 'a dead letter'), 'm2', { sentAt, receives })]);
  expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'effect-key-expired' });
});

it('a message that SQS dead-lettered was tried since it was sent, as far as anybody knows', async () => {
  const { w, deliver } = consumer();
  const letter = movedBySqs(record('m1'));
  w.clock.jump({ wall: 2 * hourMillis });
  await deliver([redriven(letter, 'm2', { sentAt: new Date(w.clock.wallMillis()) })]);
  expect(w.row('m1')).toMatchObject({ status: 'parked', reason: 'effect-key-expired' });
});
